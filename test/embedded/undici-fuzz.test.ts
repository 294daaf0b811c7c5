import t from 'tap'
import { fuzz, fuzzer, skip, timeout } from './fuzzers.ts'

t.setTimeout(timeout)

const folder = 'runtime/embedded/client'

t.test(
  'whatever a server sends, parsing ends within its limits, and pieces make no difference',
  { skip },
  async (t) => {
    const program = fuzzer(folder, 'response_fuzz', ['response.c', '../wire/message.c'], ['llhttp'])
    t.equal(fuzz(folder, program, 100_000), '')
  }
)
