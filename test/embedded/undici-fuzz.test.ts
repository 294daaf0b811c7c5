import t from 'tap'
import { fuzz, fuzzer, skip, timeout } from './fuzzers.ts'

t.setTimeout(timeout)

const folder = 'runtime/embedded/client'

t.test(
  'for all answers of a server, parsing ends within its limits, with the same result for all pieces',
  { skip },
  async (t) => {
    const program = fuzzer(folder, 'response_fuzz', ['response.c', '../wire/message.c'], ['llhttp'])
    t.equal(fuzz(folder, program, 100_000), '')
  }
)
