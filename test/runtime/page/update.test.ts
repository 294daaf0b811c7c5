import t from 'tap'
import { updateSteps } from '#runtime/page/rules/update.ts'

const short = (...args: Parameters<typeof updateSteps>) =>
  updateSteps(...args)
    .map(({ state }) => state[0])
    .join('')

t.test('an update is uploaded, verified, written, and runs after a restart', async (t) => {
  t.equal(short(0.5, undefined), 'nnnnn')
  t.match(updateSteps(0.5, undefined)[0], { name: 'uploaded', state: 'now', part: 0.5 })
  t.match(updateSteps(1, { TaskState: 'Running', PercentComplete: 45 })[2], {
    name: 'written',
    state: 'now',
    part: 0.5
  })
  t.equal(short(1, { TaskState: 'Running', PercentComplete: 45 }), 'ddnnn')
  t.match(updateSteps(1, { TaskState: 'Pending', PercentComplete: 90 })[3], { name: 'restarted', state: 'now' })
  t.equal(short(1, { TaskState: 'Completed', PercentComplete: 100 }), 'ddddd')
})

t.test('an update that failed says at which step', async (t) => {
  t.equal(short(1, { TaskState: 'Exception', PercentComplete: 40 }), 'ddfnn')
})
