import t from 'tap'
import { fuzz, fuzzer, skip, timeout } from './fuzzers.ts'

t.setTimeout(timeout)

const folder = 'runtime/embedded/https'

t.test('a ClientHello is looked at within its bytes, and more of them take nothing back', { skip }, async (t) => {
  t.equal(fuzz(folder, fuzzer(folder, 'hello_fuzz', ['client_hello.c']), 50_000), '')
})

t.test('whatever arrives, parsing ends within its limits, and pieces make no difference', { skip }, async (t) => {
  t.equal(fuzz(folder, fuzzer(folder, 'request_fuzz', ['request.c', '../wire/message.c'], ['llhttp']), 50_000), '')
})

t.test('whatever arrives and however it is answered, answers are in order and nothing is left', { skip }, async (t) => {
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
