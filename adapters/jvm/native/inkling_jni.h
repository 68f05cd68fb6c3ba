/* inkling_jni.h - how the files here report failures to Java. */
#ifndef INKLING_JNI_H
#define INKLING_JNI_H

#include "inkling.h"

#include <jni.h>

/* Throws an InkException with this text, which is a whole line of UTF-8. */
void inkling_jni_throw(JNIEnv *env, ink_status status, const char *text);

/* A byte[] of this length; NULL, with an exception, if there is none. */
jbyteArray inkling_jni_array(JNIEnv *env, size_t bytes);

/* The same with these bytes in it. */
jbyteArray inkling_jni_bytes(JNIEnv *env, const void *data, size_t bytes);

#endif
