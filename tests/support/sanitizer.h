/* sanitizer.h - which sanitizer a test was compiled with, whatever the compiler calls it: for what
 * one of them makes impossible, or too slow. */
#ifndef INK_TESTS_SANITIZER_H
#define INK_TESTS_SANITIZER_H

#ifdef __has_feature
#define SANITIZER_HAS(feature) __has_feature(feature)
#else
#define SANITIZER_HAS(feature) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || SANITIZER_HAS(address_sanitizer)
#define ADDRESS_SANITIZER 1
#else
#define ADDRESS_SANITIZER 0
#endif

#if defined(__SANITIZE_THREAD__) || SANITIZER_HAS(thread_sanitizer)
#define THREAD_SANITIZER 1
#else
#define THREAD_SANITIZER 0
#endif

#endif
