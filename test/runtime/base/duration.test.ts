import t from 'tap'
import { formatDuration, parseDuration, parseTime } from '#runtime/base/duration.ts'

t.test('a duration has days, hours, minutes and seconds, each of which may be missing', async (t) => {
  const day = 86_400_000
  for (const [text, milliseconds] of [
    ['PT1S', 1000],
    ['PT0.5S', 500],
    ['PT1M', 60_000],
    ['PT1H30M', 5_400_000],
    ['P1D', day],
    ['P1DT1S', day + 1000],
    ['P2DT3H4M5.25S', 2 * day + 3 * 3_600_000 + 4 * 60_000 + 5250],
    ['P0D', 0],
    ['PT90M', 5_400_000]
  ] as const) {
    t.equal(parseDuration(text), milliseconds, text)
  }
})

t.test('a T with nothing behind it is let pass', async (t) => {
  t.equal(parseDuration('P1DT'), 86_400_000)
  t.equal(parseDuration('P7DT'), 7 * 86_400_000)
})

t.test('a text that is not a duration is refused', async (t) => {
  const broken = ['', 'P', 'PT', 'P1', '1D', '-P1D', 'P-1D', 'PT-1S', 'P1S', 'PT1D', 'PT1M1H', 'P1.5D', 'PT.5S', 'pt1s']
  for (const text of [...broken, 'PT1S ', 'P1DT1', 'P1M', 'P1Y', 'P1W', 'PTT1S', 'PT1S1S', 'P1DPT1S', 'PT１S']) {
    t.equal(parseDuration(text), undefined, text)
  }
})

t.test('a duration too long to count is refused', async (t) => {
  t.equal(parseDuration(`P${'9'.repeat(40)}D`), undefined)
  t.equal(parseDuration(`PT${'9'.repeat(400)}S`), undefined)
})

t.test('seconds as a duration', async (t) => {
  t.equal(formatDuration(5), 'PT5S')
})

t.test('a time is one moment, however it is written', async (t) => {
  const noon = Date.UTC(2025, 5, 1, 12)
  for (const [text, time] of [
    ['2025-06-01T12:00:00Z', noon],
    ['2025-06-01t12:00:00z', noon],
    ['2025-06-01T12:00:00.25Z', noon + 250],
    ['2025-06-01T14:30:00+02:30', noon],
    ['2025-06-01T02:00:00-10:00', noon],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
    ['2016-12-31T23:59:60Z', Date.UTC(2017, 0, 1)]
  ] as const) {
    t.equal(parseTime(text), time, text)
  }
})

t.test('a text that is not a time, or a day that does not exist, is refused', async (t) => {
  const days = ['2025-02-29', '2025-06-31', '2025-13-01', '2025-00-01', '2025-01-00'].map((day) => `${day}T12:00:00Z`)
  const times = ['24:00:00Z', '12:60:00Z', '12:00:61Z', '12:00:00', '12:00Z'].map((time) => `2025-06-01T${time}`)
  for (const text of [...days, ...times, 'noon', '', '2025-06-01', '2025-06-01 12:00:00Z', '0050-01-01T00:00:00Z']) {
    t.equal(parseTime(text), undefined, text)
  }
})
