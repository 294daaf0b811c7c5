import type { Board } from '#data/board'
import { event } from '#runtime/contract'
import { log } from '#runtime/store/log.ts'
import type { Store } from '#runtime/store/store.ts'
import type { Events } from '../events/events.ts'

/** Tells, in the log and as events, when the disk begins to refuse what is to be stored, and when it takes it again. */
export function watchStorage(store: Store, events: Events, board: Board): void {
  const origins = Object.keys(board.managers).map((id) => `/redfish/v1/Managers/${id}`)
  let told: string | undefined
  const tell = (reason: Error | undefined) => {
    const said = reason && words(reason)
    if (said === told) return
    told = said
    if (said === undefined) {
      log('info', 'the disk takes writes again')
      void events.emit(...origins.map((origin) => event('MgmtEvents.StorageWritable', origin)))
    } else {
      log('error', 'the disk refuses writes', { cause: reason?.message })
      void events.emit(...origins.map((origin) => event('MgmtEvents.StorageNotWritable', origin, said)))
    }
  }
  tell(store.refusal)
  store.onRefusal(tell)
}

/** What the system says of a failure, without the names of files. */
function words({ message }: Error): string {
  const said = message.split('\n')[0]?.split(': ') ?? []
  return (/^[A-Z]+$/.test(said[0] ?? '') ? said[1] : said.at(-1))?.replace(/, \w+.*$/, '') ?? ''
}
