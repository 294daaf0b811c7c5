import t from 'tap'
import { fuzz, fuzzer, skip, timeout } from './fuzzers.ts'

t.setTimeout(timeout)

const folder = 'runtime/embedded/https'

t.test('a ClientHello is parsed within its bytes, and further bytes do not change the result', { skip }, async (t) => {
  t.equal(fuzz(folder, fuzzer(folder, 'hello_fuzz', ['client_hello.c']), 50_000), '')
})

t.test('for all inputs, parsing ends within its limits, with the same result for all pieces', { skip }, async (t) => {
  t.equal(fuzz(folder, fuzzer(folder, 'request_fuzz', ['request.c', '../wire/message.c'], ['llhttp']), 50_000), '')
})

t.test('for all inputs and answers, answers are in order and nothing leaks', { skip }, async (t) => {
  const core = [
    'request.c',
    'client_hello.c',
    'connection.c',
    'sending.c',
    'receiving.c',
    'server.c',
    'repeating.c',
    'repeats.c',
    'response_head.c',
    '../wire/message.c',
    '../wire/held.c'
  ]
  t.equal(fuzz(folder, fuzzer(folder, 'connection_fuzz', core, ['llhttp', 'uv', 'sodium']), 500), '')
})
