import { Action } from '../parts/action.tsx'
import { download } from '../parts/download.ts'
import { Card, Health, Loaded, Table, when } from '../parts/show.tsx'
import { absent, type Known, partOf, valueIn } from '../rules/known.ts'
import { isLogged, type Line, linesAs } from '../rules/log.ts'
import { send } from '../service/client.ts'
import { useKept } from '../service/kept.ts'
import { entryText, useEntries } from '../service/logs.ts'
import { useManager, useSystem } from '../service/machine.ts'
import { textOf } from '../service/messages.ts'
import { reread, useResource } from '../service/resources.ts'
import { events } from '../service/stream.ts'
import type { Expanded, LogEntry, LogService, Manager, System } from '../types.ts'
import { t } from '../words/index.ts'

/** The logs of the system and its manager, and the events as they come. */
export function Log() {
  const system = useLogs(useSystem())
  const manager = useLogs(useManager())
  const logs = [system, manager].flatMap((each) => valueIn(each)?.Members ?? [])
  const [chosen, setChosen] = useKept('log')
  const log = logs.find((each) => each['@odata.id'] === chosen) ?? logs[0]
  const missing =
    [system, manager].find(({ state }) => state === 'failed' || state === 'loading') ?? (log ? undefined : absent)
  const isLive = chosen === 'live'
  return (
    <>
      <label>
        {t('log')}
        <select
          value={isLive ? 'live' : log?.['@odata.id']}
          onChange={({ currentTarget }) => setChosen(currentTarget.value)}
        >
          {logs.map((each) => (
            <option key={each['@odata.id']} value={each['@odata.id']}>
              {each.Name}
            </option>
          ))}
          <option value="live">{t('liveEvents')}</option>
        </select>
      </label>
      {isLive ? (
        <Lines name="events" lines={events.value.map(eventLine)} />
      ) : (
        <>
          {missing !== undefined && <Loaded from={missing}>{() => null}</Loaded>}
          {log && <Entries key={log['@odata.id']} log={log} />}
        </>
      )}
    </>
  )
}

/** The logs of a system or a manager. */
function useLogs(owner: Known<System | Manager>): Known<Expanded<LogService>> {
  return useResource(partOf(owner, ({ LogServices }) => LogServices && `${LogServices['@odata.id']}?$expand=.`))
}

function eventLine({
  EventTimestamp,
  MessageSeverity,
  MessageId,
  OriginOfCondition,
  ...event
}: (typeof events.value)[number]): Line {
  return {
    time: EventTimestamp ?? '',
    severity: MessageSeverity ?? '',
    text: textOf({ MessageId, ...event }).text,
    id: MessageId,
    origin: OriginOfCondition?.['@odata.id'] ?? ''
  }
}

function entryLine(entry: LogEntry): Line {
  const { Created, Severity, MessageId } = entry
  return { time: Created ?? '', severity: Severity ?? '', text: entryText(entry), id: MessageId ?? '', origin: '' }
}

function Entries({ log }: { readonly log: LogService }) {
  const uri = log.Entries?.['@odata.id'] ?? ''
  return (
    <Loaded from={useEntries(uri)}>
      {({ Members }) => (
        <>
          <Lines name={log.Id} lines={Members.map(entryLine).reverse()} />
          <Action
            label={t('clearLog')}
            kind="danger"
            question={t('clearQuestion', log.Name)}
            act={async () => {
              const answer = await send('POST', log.Actions?.['#LogService.ClearLog']?.target ?? '', {})
              await reread(uri)
              return answer
            }}
          />
        </>
      )}
    </Loaded>
  )
}

function Lines({ name, lines }: { readonly name: string; readonly lines: readonly Line[] }) {
  const [severity, setSeverity] = useKept('log severity')
  const [words, setWords] = useKept('log words')
  const shown = lines.filter((each) => isLogged(each, severity, words))
  return (
    <Card title={name}>
      <div class="row">
        <select
          aria-label={t('severity')}
          value={severity}
          onChange={({ currentTarget }) => setSeverity(currentTarget.value)}
        >
          <option value="">{t('allSeverities')}</option>
          {['OK', 'Warning', 'Critical'].map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
        <input
          type="search"
          aria-label={t('filter')}
          placeholder={t('filter')}
          value={words}
          onInput={({ currentTarget }) => setWords(currentTarget.value)}
        />
        <button
          type="button"
          onClick={() => download(`${name}.json`, 'application/json', JSON.stringify(shown, undefined, 2))}
        >
          JSON
        </button>
        <button type="button" onClick={() => download(`${name}.csv`, 'text/csv', linesAs(shown))}>
          CSV
        </button>
      </div>
      <Table
        caption={name}
        head={[t('time'), t('severity'), t('message'), t('origin')]}
        rows={shown.map((each) => [
          when(each.time),
          <Health key="severity" of={each.severity} />,
          each.text,
          each.origin
        ])}
      />
    </Card>
  )
}
