import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { configuration } from '#data/configuration'
import { readBoard } from '#runtime/command/board-file.ts'
import { Events } from '#runtime/service/events/events.ts'
import { reportLosses } from '#runtime/service/manager/recovery.ts'
import { openDocuments } from '#runtime/store/documents.ts'
import { Store } from '#runtime/store/store.ts'

const board = readBoard('sim', openDocuments(readFileSync('dist/documents.bin')))

t.test(
  'a loss is a record and an event of each manager, without the data directory, and is reported once',
  async (t) => {
    const data = t.testdir()
    const store = await Store.open(`${data}/store`, configuration.store)
    t.teardown(() => store.close())
    const now = new Date('2025-06-01T12:00:00Z')
    const events = new Events(store, board, configuration, () => now.getTime())
    const lines = t.capture(store.log, 'error', () => {})
    const report = (losses: Parameters<typeof reportLosses>[0]) =>
      reportLosses(losses, { store, events, board, data, now })
    writeFileSync(`${data}/store.loss`, '')
    await report({ Store: undefined, Keys: undefined } as never)
    t.ok(existsSync(`${data}/store.loss`))
    t.same(store.keys('recovery'), [])
    const at = Date.parse('2025-05-31T00:00:00Z')
    await report({ Store: { cause: `${data}/store/1.log is torn`, source: 'Copy', at } } as never)
    t.notOk(existsSync(`${data}/store.loss`))
    t.same(
      lines().map(({ args }) => args),
      [
        [
          'stored state was damaged',
          { cause: `${data}/store/1.log is torn`, source: 'Copy', asOf: '2025-05-31T00:00:00.000Z' }
        ]
      ]
    )
    t.same(store.get('recovery', 'Store'), {
      cause: 'store/1.log is torn',
      source: 'Copy',
      asOf: '2025-05-31T00:00:00.000Z',
      recoveredAt: '2025-06-01T12:00:00.000Z'
    })
    t.match(
      store.keys('event').map((key) => store.get('event', key)),
      [{ args: ['store/1.log is torn', 'a copy of it', '2025-05-31T00:00:00.000Z'] }]
    )
    await report({ Store: { cause: 'the file of the loss has gone', source: 'Rest', at } } as never)
    t.match(store.get('event', store.keys('event')[1]!), { args: ['the file of the loss has gone', 'the rest of it'] })
    writeFileSync(`${data}/store.loss`, '')
    await report({ Store: undefined, Keys: { cause: 'keys are gone', source: 'New' } } as never)
    t.ok(existsSync(`${data}/store.loss`), 'only that of the store is reported with it')
    t.match(store.get('recovery', 'Keys'), { source: 'New', asOf: null })
    t.match(store.get('event', store.keys('event')[2]!), { args: ['keys are gone', 'a new one', 'an unknown time'] })
  }
)
