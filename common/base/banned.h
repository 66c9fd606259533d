/* SPDX-License-Identifier: ISC
 * banned.h -- forced into every file with -include: std headers first, then poison. */
#ifndef SK_BANNED_H
#define SK_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf strtok gets
#ifndef SK_SEES_OPENSSL /* whose headers call a parameter rand */
#pragma GCC poison rand srand
#endif
#pragma GCC poison atoi atol atof gmtime localtime ctime asctime

#endif
