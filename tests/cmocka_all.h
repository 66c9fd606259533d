/* SPDX-License-Identifier: ISC
 * cmocka_all.h -- cmocka and the headers that it wants before it.
 */
#ifndef SK_TESTS_CMOCKA_ALL_H
#define SK_TESTS_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
