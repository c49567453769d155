# SPDX-License-Identifier: BSD-2-Clause
#
# Toolchain: Debian's gcc-aarch64-linux-gnu, with the arm64 packages of the libraries installed
# beside the native ones (dpkg --add-architecture arm64; scripts/test does it). Programs, and so the
# tests, run under qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)
