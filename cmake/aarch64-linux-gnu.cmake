# SPDX-License-Identifier: BSD-2-Clause
#
# Toolchain: Debian's gcc-aarch64-linux-gnu, programs run under qemu-user. Libraries come from
# Debian's arm64 packages: installed beside the native ones where Debian allows that, unpacked into
# WEIR_SYSROOT by scripts/test where it does not.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
