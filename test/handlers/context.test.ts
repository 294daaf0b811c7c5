import t from 'tap'
import { context } from './context.ts'

t.test('a member of the context that a test neither gives nor leaves to a default is named', async (t) => {
  t.throws(() => context().serviceLog(), { message: /reads serviceLog: the test has to give it/ })
  const serviceLog = { lines: ['a line'], dropped: 0 }
  t.same(context({ serviceLog: () => serviceLog }).serviceLog(), serviceLog)
})
