/* api.c - functions of the server, fetched by name. */
#include "api.h"

#include <string.h>

#define DEFINE(result, name, parameters) result(*RM_##name) parameters;
RM_FUNCTIONS(DEFINE)
RM_OPTIONAL_FUNCTIONS(DEFINE)

/* The context that a module is loaded with begins with the function that finds the others. */
typedef int find_function(const char *name, void *pointer);

const char *api_fetch(RM_Ctx *ctx)
{
    find_function *find;

    memcpy(&find, ctx, sizeof find);
#define FETCH(result, name, parameters)                                                            \
    if (find("RedisModule_" #name, &RM_##name) != RM_OK)                                           \
        return "RedisModule_" #name;
    RM_FUNCTIONS(FETCH)
#define FETCH_IF_THERE(result, name, parameters)                                                   \
    if (find("RedisModule_" #name, &RM_##name) != RM_OK)                                           \
        RM_##name = NULL;
    RM_OPTIONAL_FUNCTIONS(FETCH_IF_THERE)
    return NULL;
}
