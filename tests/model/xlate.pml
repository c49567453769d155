/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * xlate.pml - the protocol of `xlate`, exhaustively: every interleaving of two fillers, a guest's
 * commands and a look-up, step by step. A second opinion on what weir-explore samples: it knows one
 * memory model, the strongest, and leaves no schedule out.
 *
 * The world is the smallest that has all the parts: two keys of one device and one tag, which prefer
 * the same slot; two slots, a home and another; one generation for device and everything, one for
 * the tag. A value is its key and the version of the table it was read from.
 *
 * A step is one load or store of what is shared, except where a read-modify-write is atomic, and in
 * what a filler does under the lock with what only invalidations change: it sees a slot, and the sum
 * that makes it live, at once. So does what it asks of its lease before it takes the lock. A filler
 * that is frozen for ever is a filler that takes no more steps: that is among the schedules.
 *
 * Not in it: fingerprints, pairs and their neighbours, marks, the displaced op, and every order that a
 * weaker memory leaves out. Those are what weir-explore is for.
 *
 * What must hold: a hit is of the key that was asked for (X3), and not older than what was complete
 * before the look-up began (X2); one live slot a key (X4) while nobody fills.
 *
 * The mistakes, one at a time, by -D: each must be found.
 *
 *	WALK_FIRST	the lease is taken after the tables are read
 *	NO_EPOCH	a fill does not look whether its event was invalidated
 *	KILL_FIRST	an invalidation kills the slot first and moves the epoch second
 *	HOME_ONLY	it looks at the preferred slot only
 *	TWICE		a fill does not look for its key where it does not prefer to be (X4)
 *	AWAY		a fill takes another slot although the preferred one is dead (X8)
 *	WORD_FIRST	the sequence moves first, and the stamp says that it is written second
 *	NO_SEQUENCE	a look-up does not compare the word again
 *	PLAIN_STAMP	a fill stores its stamp, whatever is there
 *	STAMP_NOW	it stamps the generation of now, and not of its lease
 *	NO_TAG_EPOCH	it does not look whether a tag was invalidated
 *	TAG_FIRST	the generation of the tag moves first and the tag epoch second
 */
#define DEAD		0
#define PENDING		1
#define FIRST		2	/* of the sums of generations */
#define VALUE(k, v)	((k) * 8 + (v))

byte table[2], complete[2];
byte gen = FIRST, gen_tag, tag_epoch, epoch;
bool locked;
byte key[2] = 9;		/* of none */
byte value[2], stamp[2], word[2];
byte fillers = 2;

/* Under the lock only invalidations write beside it: keys stay, and what is dead stays dead. */
#define LIVE(i)		(stamp[i] == gen + gen_tag)

inline choose()
{
	d_step { home_live = LIVE(0); mine = key[0] == k };
	d_step {
		if
		:: home_live && mine -> w = 0
#ifdef TWICE
		:: LIVE(1) && key[1] == k && home_live && !mine -> w = 1
#else
		:: LIVE(1) && key[1] == k && !(home_live && mine) -> w = 1
#endif
		:: LIVE(1) && key[1] != k && home_live && !mine -> w = 2
#ifdef TWICE
		:: !LIVE(1) && home_live && !mine -> w = 1
		:: !home_live -> w = 0
#elif defined(AWAY)
		:: !LIVE(1) && !(home_live && mine) -> w = 1
		:: LIVE(1) && key[1] != k && !home_live -> w = 0
#else
		:: !LIVE(1) && home_live && !mine -> w = 1
		:: !home_live && !(LIVE(1) && key[1] == k) -> w = 0
#endif
		fi;
		home_live = false;
		mine = false
	};
	if
	:: w == 2 -> w = 0	/* any of two */
	:: w == 2 -> w = 1
	:: else
	fi
}

#ifdef STAMP_NOW
#define REFUSED	(tag_epoch != lease_tag)
#elif defined(NO_TAG_EPOCH)
#define REFUSED	(gen != lease_gen)
#else
#define REFUSED	(gen != lease_gen || tag_epoch != lease_tag)
#endif

proctype filler(byte n)
{
	byte k, version, w, lease_gen, lease_tag, lease_epoch, tag;
	bool home_live, mine;

	do
	:: n > 0 ->
		atomic {
			n--;
			if
			:: k = 0
			:: k = 1
			fi;
#ifdef WALK_FIRST
			version = table[k]
#else
			lease_gen = gen
#endif
		};
#ifdef WALK_FIRST
		lease_gen = gen;
#endif
		lease_tag = tag_epoch;
		lease_epoch = epoch;
#ifndef WALK_FIRST
		version = table[k];
#endif
		tag = gen_tag;
		atomic {
			if
			:: REFUSED || locked -> goto refused
			:: else -> locked = true
			fi
		};
		choose();
#ifdef WORD_FIRST
		word[w] = word[w] + 1;
		stamp[w] = PENDING;
#else
		stamp[w] = PENDING;
		word[w] = word[w] + 1;
#endif
		key[w] = k;
		value[w] = VALUE(k, version);
#ifdef STAMP_NOW
		lease_gen = gen;
#endif
		if
#ifndef NO_EPOCH
		:: epoch != lease_epoch -> stamp[w] = DEAD
#endif
		:: else ->
			d_step {
				if
#ifdef PLAIN_STAMP
				:: stamp[w] = lease_gen + tag
#else
				:: stamp[w] == PENDING -> stamp[w] = lease_gen + tag
				:: else
#endif
				fi
			}
		fi;
		locked = false;
refused:
		skip;
		d_step {
			version = 0;
			w = 0;
			lease_gen = 0;
			lease_tag = 0;
			lease_epoch = 0;
			tag = 0;
			k = 0
		}
	:: else -> break
	od;
	fillers--
}

inline kill()
{
	if
	:: key[0] == k -> stamp[0] = DEAD
#ifndef HOME_ONLY
	:: else ->
		if
		:: key[1] == k -> stamp[1] = DEAD
		:: else
		fi
#else
	:: else
#endif
	fi
}

proctype commands(byte n)
{
	byte k;

	do
	:: n > 0 ->
		atomic {
			n--;
			if
			:: k = 0
			:: k = 1
			fi;
			table[k] = table[k] + 1
		};
		if
		:: skip; /* an event */
#ifdef KILL_FIRST
			kill();
			epoch++
#else
			epoch++;
			kill()
#endif
		:: gen++ /* a device, or everything */
		:: skip; /* a tag */
#ifdef TAG_FIRST
			gen_tag++;
			tag_epoch++
#else
			tag_epoch++;
			gen_tag++
#endif
		fi;
		complete[k] = table[k]
	:: else -> break
	od
}

/* Slot i, by the protocol of weir_xlate_lookup_inline(). */
inline look(i)
{
	seen = word[i];
	s = stamp[i];
	if
	:: key[i] == k ->
		s = s - gen;
		s = s - gen_tag;
		got = value[i];
		if
#ifndef NO_SEQUENCE
		:: s != 0 || word[i] != seen
#else
		:: s != 0
#endif
		:: else -> hit = true
		fi
	:: else
	fi
}

/* Of key 0: the two are alike. */
proctype lookup()
{
	byte k, at_least, seen, got, s;
	bool hit;

	at_least = complete[k];
	look(0);
	if
	:: !hit -> look(1)
	:: else
	fi;
	assert(!hit || (got / 8 == k && got % 8 >= at_least))
}

/* X4, when all fills have ended. */
proctype at_most_one()
{
	d_step {
		fillers == 0;
		assert(!(LIVE(0) && LIVE(1) && key[0] == key[1]))
	}
}

#define SLOT(i, k)	key[i] = (k); value[i] = VALUE(k, 0); stamp[i] = FIRST

/* Both slots are empty, or one key or both are there; key 2 is of nobody, and has to make room. */
init {
	atomic {
		if
		:: skip
		:: SLOT(0, 0)
		:: SLOT(0, 1)
		:: SLOT(0, 0); SLOT(1, 1)
		:: SLOT(0, 1); SLOT(1, 0)
#if FILLS_B == 0 /* or it is too large */
		:: SLOT(0, 0); SLOT(1, 2)
		:: SLOT(0, 2); SLOT(1, 0)
#endif
		fi;
		run filler(FILLS_A);
		run filler(FILLS_B);
		run commands(COMMANDS);
		run lookup();
		run at_most_one()
	}
}
