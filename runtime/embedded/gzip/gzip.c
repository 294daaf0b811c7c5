#include "gzip.h"

#include <errno.h>
#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

enum { FRAME_SIZE = 18, LENGTH_SIZE = 4, RATIO_MAX = 1032, GZIP_ONLY = 16 };

size_t gzip_length(const uint8_t *file, size_t size) {
  if (size < FRAME_SIZE) return 0;
  const uint8_t *end = file + size - LENGTH_SIZE;
  const uint32_t length = end[0] | (uint32_t)end[1] << 8 | (uint32_t)end[2] << 16 | (uint32_t)end[3] << 24;
  return length / RATIO_MAX > size ? 0 : length;
}

int gzip_unpack(const uint8_t *file, size_t size, uint8_t *out, size_t length) {
  if (size > UINT32_MAX || length > UINT32_MAX) return -EBADMSG;
  uint8_t nothing; /* zlib takes no null pointer, even for no bytes at all */
  z_stream stream = {
      .next_in = file, .avail_in = (uInt)size, .next_out = length ? out : &nothing, .avail_out = (uInt)length};
  if (inflateInit2(&stream, MAX_WBITS + GZIP_ONLY) != Z_OK) return -ENOMEM;
  const int status = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  if (status == Z_MEM_ERROR) return -ENOMEM;
  return status == Z_STREAM_END && stream.avail_in == 0 && stream.avail_out == 0 ? 0 : -EBADMSG;
}
