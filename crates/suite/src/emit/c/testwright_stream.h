/* Streams that tests hand over: files in memory, which tests can look at even after they were closed.
 * Written by Testwright; yours to keep and change. */
#ifndef TESTWRIGHT_STREAM_H
#define TESTWRIGHT_STREAM_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A stream to read from and write to, which holds this text at first. */
#undef text_stream
#define text_stream(text) testwright_stream(text, sizeof(text) - 1)

struct testwright_stream {
    FILE *file;
    char *text;
    size_t size, at;
    int closed;
    struct testwright_stream *next;
};

/* As in <stdio.h>, which declares it only for those who ask for what is not in any standard. */
struct testwright_stream_functions {
    __PTRDIFF_TYPE__ (*read)(void *, char *, size_t);
    __PTRDIFF_TYPE__ (*write)(void *, const char *, size_t);
    int (*seek)(void *, __INT64_TYPE__ *, int);
    int (*close)(void *);
};
FILE *testwright_open(void *, const char *, struct testwright_stream_functions) __asm__("fopencookie");

__attribute__((unused)) static struct testwright_stream *testwright_streams;

__attribute__((unused)) static __PTRDIFF_TYPE__ testwright_read(void *cookie, char *to, size_t size)
{
    struct testwright_stream *stream = cookie;
    size_t rest = stream->at < stream->size ? stream->size - stream->at : 0;

    if (size > rest)
        size = rest;
    memcpy(to, stream->text + (rest > 0 ? stream->at : 0), size);
    stream->at += size;
    return (__PTRDIFF_TYPE__)size;
}

__attribute__((unused)) static __PTRDIFF_TYPE__ testwright_write(void *cookie, const char *from, size_t size)
{
    struct testwright_stream *stream = cookie;
    size_t end = stream->at + size;

    /* A zero follows the text. */
    if (end > stream->size) {
        stream->text = realloc(stream->text, end + 1);
        if (stream->text == NULL)
            abort();
        memset(stream->text + stream->size, 0, end + 1 - stream->size);
        stream->size = end;
    }
    memcpy(stream->text + stream->at, from, size);
    stream->at = end;
    return (__PTRDIFF_TYPE__)size;
}

__attribute__((unused)) static int testwright_seek(void *cookie, __INT64_TYPE__ *offset, int from)
{
    struct testwright_stream *stream = cookie;
    size_t base = from == SEEK_SET ? 0 : from == SEEK_CUR ? stream->at : stream->size;
    __INT64_TYPE__ place = (__INT64_TYPE__)base + *offset;

    if (place < 0)
        return -1;
    stream->at = (size_t)place;
    *offset = place;
    return 0;
}

__attribute__((unused)) static int testwright_close(void *cookie)
{
    ((struct testwright_stream *)cookie)->closed = 1;
    return 0;
}

__attribute__((unused)) static FILE *testwright_stream(const char *text, size_t size)
{
    const struct testwright_stream_functions functions = {testwright_read, testwright_write, testwright_seek,
                                                          testwright_close};
    struct testwright_stream *stream = calloc(1, sizeof *stream);

    if (stream == NULL || (stream->text = malloc(size + 1)) == NULL)
        abort();
    memcpy(stream->text, text, size);
    stream->text[size] = 0;
    stream->size = size;
    stream->next = testwright_streams;
    testwright_streams = stream;
    stream->file = testwright_open(stream, "r+", functions);
    if (stream->file == NULL)
        abort();
    return stream->file;
}

/* What a stream of ours holds; its text ends with a zero. */
__attribute__((unused)) static const struct testwright_stream *testwright_held(FILE *file)
{
    struct testwright_stream *stream = testwright_streams;

    while (stream != NULL && stream->file != file)
        stream = stream->next;
    if (stream == NULL)
        abort();
    if (!stream->closed)
        fflush(file);
    return stream;
}

#endif
