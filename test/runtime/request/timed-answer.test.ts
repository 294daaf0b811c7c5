import t from 'tap'
import { utf8, utf8Text } from '#runtime/base/bytes.ts'
import { tagMoment } from '#runtime/request/answer.ts'
import { timedTag } from '#runtime/request/etag.ts'
import { momentsIn, presentAnswer, withoutTimes } from '#runtime/request/timed-answer.ts'

const [noon, later] = [new Date('2026-11-26T12:00:00.000Z'), new Date('2026-12-01T00:00:01.234Z')]
const zulu = { text: '2026-11-26T12:00:00.000Z', offset: '+00:00' }
const local = { text: '2026-11-26T14:00:00.000+02:00', offset: '+02:00' }

t.test('an answer that shows the time is the same at another time but for the time and its tag', async (t) => {
  const tag = timedTag('still', '1f', noon)
  const text = (time: string, there: string, etag: string) =>
    JSON.stringify({ '@odata.etag': etag, Ä: '€', T: time, L: there, R: { ETag: etag, T: time } })
  const headers = ['Allow', 'GET', 'ETag', tag]
  const shown = text(zulu.text, local.text, tag)
  const answer = { status: 200, headers, body: utf8(shown), moments: momentsIn(shown, tag, [zulu, local, zulu]) }
  const cached = { tag, answer }
  const at = (now: Date) => presentAnswer(cached, () => now)
  const present = timedTag('still', '1f', later)
  t.not(present, tag)
  const made = at(later)
  t.equal(made.tag, present)
  t.same(made.answer.headers, ['Allow', 'GET', 'ETag', present])
  t.equal(
    utf8Text(made.answer.body),
    text('2026-12-01T00:00:01.234Z', '2026-12-01T02:00:01.234+02:00', present),
    'behind characters of several bytes, too'
  )
  t.same(at(noon).answer, cached.answer, 'the one that is kept stays as it was')
  const moments = [...answer.moments]
  t.same(
    moments.flatMap((at, index) => (index % 2 ? [] : [utf8Text(answer.body.slice(at, at + 11))])),
    [...Array(2).fill(tag.slice(-12, -1)), ...Array(2).fill(zulu.text.slice(0, 11)), local.text.slice(0, 11)],
    shown
  )
  t.same(
    moments.filter((_, index) => index % 2),
    [tagMoment, tagMoment, 0, 0, 120]
  )
})

t.test('a text is one without times only where nothing else looks like them', async (t) => {
  for (const [value, times, still] of [
    [{ T: zulu.text }, [zulu], '{"T":""}'],
    [{ T: zulu.text, L: local.text, U: zulu.text }, [zulu, local, zulu], '{"T":"","L":"","U":""}'],
    [{ T: zulu.text, LastResetTime: zulu.text }, [zulu], undefined],
    [{ T: zulu.text }, [zulu, zulu], undefined],
    [{ T: `at ${zulu.text}` }, [zulu], undefined],
    [{ T: 1 }, [], '{"T":1}']
  ] as const) {
    const text = JSON.stringify(value)
    t.equal(withoutTimes(text, times), still, text)
  }
})
