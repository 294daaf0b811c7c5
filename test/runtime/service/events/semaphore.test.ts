import t from 'tap'
import { Semaphore } from '#runtime/service/events/semaphore.ts'

t.test('so many notifications are on their way to a listener, and the next begins when one has ended', async (t) => {
  const semaphore = new Semaphore(2)
  const granted: string[] = []
  const take = (listener: string, name: string) => {
    const permit = semaphore.take(listener)
    void permit.granted.then(() => granted.push(name))
    return permit
  }
  const seen = async () => {
    await Promise.resolve()
    return granted.join('')
  }
  const [a, b, c, d, e] = [...'abcde'].map((name) => take('one', name))
  take('other', 'x')
  t.equal(await seen(), 'abx')
  d!.force()
  d!.force()
  t.equal(await seen(), 'abxd', 'one that is forced does not wait')
  a!.release()
  t.equal(await seen(), 'abxd', 'there are two still')
  e!.release()
  b!.release()
  t.equal(await seen(), 'abxdc')
  c!.release()
  const [i] = [...'ij'].map((name) => take('one', name))
  t.equal(await seen(), 'abxdci', 'the one that is left counts')
  for (const each of [d, i]) each!.release()
  t.equal(await seen(), 'abxdcij')
})
