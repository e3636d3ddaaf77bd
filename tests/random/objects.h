// What each rank has for itself and lives across steps: info objects, error classes, attributes and names of datatypes.
#pragma once
#include "types.h"

enum { most_infos = 4, most_keys = 5, most_errors = 12 };

/// values: 0 for a key that is not there, else what its text says; order: keys as they came.
struct info { int used, values[most_keys]; MPI_Info handle; };
struct error { int code, class, number; };

static struct info infos[most_infos];
static struct error errors[most_errors];
static int errors_made, type_keyval = MPI_KEYVAL_INVALID, type_attributes;

static void check_info(const struct info* o) {
  int n = 0, found = -1, there = -1, length = -1;
  char key[MPI_MAX_INFO_KEY], name[16], text[32];
  for (int i = 0; i < most_keys; ++i) n += o->values[i] != 0;
  OK(MPI_Info_get_nkeys(o->handle, &found));
  CHECK(found == n, "%d, not %d", found, n);
  for (int i = 0; i < found; ++i) {
    OK(MPI_Info_get_nthkey(o->handle, i, key));
    CHECK(strncmp(key, "key", 3) == 0 && o->values[key[3] - '0'] != 0, "%s", key);
  }
  for (int i = 0; i < most_keys; ++i) {
    snprintf(name, sizeof name, "key%d", i);
    OK(MPI_Info_get(o->handle, name, (int)sizeof text - 1, text, &there));
    CHECK(there == (o->values[i] != 0), "%s: %d", name, there);
    if (!there) continue;
    CHECK(atoi(text) == o->values[i], "%s: %s, not %d", name, text, o->values[i]);
    OK(MPI_Info_get_valuelen(o->handle, name, &length, &there));
    CHECK(there && length == (int)strlen(text), "%d", length);
  }
}

static void change_info(void) {
  struct info *o = &infos[mine(most_infos)], *copy = &infos[mine(most_infos)];
  const int key = mine(most_keys), what = mine(6), value = ++serial;
  char name[16], text[32];
  if (!o->used) {
    *o = (struct info){.used = 1};
    OK(MPI_Info_create(&o->handle));
  }
  snprintf(name, sizeof name, "key%d", key), snprintf(text, sizeof text, "%d", value);
  if (what < 3) OK(MPI_Info_set(o->handle, name, text)), o->values[key] = value;
  if (what == 3 && o->values[key]) OK(MPI_Info_delete(o->handle, name)), o->values[key] = 0;
  if (what == 4 && !copy->used) *copy = *o, OK(MPI_Info_dup(o->handle, &copy->handle)), check_info(copy);
  check_info(o);
  if (what == 5) OK(MPI_Info_free(&o->handle)), o->used = 0;
}

static void add_error(void) {
  char text[MPI_MAX_ERROR_STRING];
  if (errors_made == most_errors) return;
  struct error* e = &errors[errors_made];
  const int of_other = errors_made > 0 && mine(2);
  e->number = serial;
  if (of_other) e->class = errors[mine(errors_made)].class;
  else OK(MPI_Add_error_class(&e->class));
  ++errors_made;
  OK(MPI_Add_error_code(e->class, &e->code));
  snprintf(text, sizeof text, "error %d", e->number);
  OK(MPI_Add_error_string(e->code, text));
}

static void check_errors(void) {
  for (int i = 0; i < errors_made; ++i) {
    char text[MPI_MAX_ERROR_STRING], want[32];
    int length = 0, class = -1;
    snprintf(want, sizeof want, "error %d", errors[i].number);
    OK(MPI_Error_string(errors[i].code, text, &length));
    CHECK(strcmp(text, want) == 0 && length == (int)strlen(want), "%s, not %s", text, want);
    OK(MPI_Error_class(errors[i].code, &class));
    CHECK(class == errors[i].class, "%d, not %d", class, errors[i].class);
  }
}

static int copy_type_attribute(MPI_Datatype old, int key, void* extra, void* in, void* out, int* flag) {
  (void)old, (void)key, (void)extra;
  *(void**)out = in, *flag = 1, ++type_attributes;
  return MPI_SUCCESS;
}

static int delete_type_attribute(MPI_Datatype old, int key, void* value, void* extra) {
  (void)old, (void)key, (void)value, (void)extra;
  --type_attributes;
  return MPI_SUCCESS;
}

/// Duplicates have the attribute, and their freeing calls the function.
static void mark_type(void) {
  struct type* t = some_type();
  const int what = pick(3), number = ++serial;
  if (t == NULL) return;
  char name[MPI_MAX_OBJECT_NAME], want[24];
  void* found = NULL;
  int flag = -1, length = -1;
  MPI_Datatype copy;
  if (what == 0) OK(MPI_Type_set_attr(t->handle, type_keyval, (void*)(intptr_t)number)), ++type_attributes;
  if (what == 0) t->attribute = number;
  if (what == 1 && t->attribute) OK(MPI_Type_delete_attr(t->handle, type_keyval)), t->attribute = 0;
  OK(MPI_Type_dup(t->handle, &copy));
  OK(MPI_Type_get_attr(copy, type_keyval, &found, &flag));
  const intptr_t value = (intptr_t)found;
  CHECK(flag == (t->attribute != 0) && (!flag || value == t->attribute), "%d, %ld", flag, (long)value);
  snprintf(want, sizeof want, "type %d", number);
  OK(MPI_Type_set_name(copy, want));
  OK(MPI_Type_get_name(copy, name, &length));
  CHECK(strcmp(name, want) == 0 && length == (int)strlen(want), "%s, not %s", name, want);
  OK(MPI_Type_free(&t->handle));
  t->handle = copy;
}

static void object_action(void) {
  ++serial;
  switch (pick(4)) {
    case 0:
    case 1: change_info(); break;
    case 2:
      if (mine(3) == 0) add_error();
      check_errors();
      break;
    case 3: mark_type(); break;
  }
}

static void begin_objects(void) {
  OK(MPI_Type_create_keyval(copy_type_attribute, delete_type_attribute, &type_keyval, NULL));
}

static void end_objects(void) {
  for (int i = 0; i < most_infos; ++i)
    if (infos[i].used) check_info(&infos[i]), OK(MPI_Info_free(&infos[i].handle));
  check_errors();
  OK(MPI_Type_free_keyval(&type_keyval));
  CHECK(type_attributes == 0, "%d", type_attributes);
}
