import t from 'tap'
import { timeAt, timeText } from '#runtime/page/rules/time.ts'

const time = '2026-11-26T23:45:14Z'

t.test('a time is shown in the zone of the reader', async (t) => {
  const here = new Intl.DateTimeFormat('en-GB', { dateStyle: 'short', timeStyle: 'medium' })
  t.equal(timeText(time, 'en-GB'), here.format(new Date(time)))
  for (const none of [undefined, null, '', 'yesterday']) t.equal(timeText(none, 'en'), '')
})

t.test('a time is shown in the zone of the controller, also on another day', async (t) => {
  t.equal(timeAt(time, '+00:00', 'en-GB'), '26/11/2026, 23:45:14 (UTC)')
  t.equal(timeAt(time, '+05:30', 'en-GB'), '27/11/2026, 05:15:14 (UTC+05:30)')
  t.equal(timeAt(time, '-08:00', 'en-GB'), '26/11/2026, 15:45:14 (UTC-08:00)')
  t.equal(timeAt('2026-11-27T00:45:14+01:00', '+00:00', 'en-GB'), '26/11/2026, 23:45:14 (UTC)')
})
