import { Action } from '../parts/action.tsx'
import { Card, Health, Loaded } from '../parts/show.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { toast } from '../parts/toast.tsx'
import { addressOf, choose, place } from '../router.ts'
import { failureIn, type Known, valueIn } from '../rules/known.ts'
import { isWanted, type Line, newestFirst, ranges } from '../rules/log.ts'
import { send, serviceTime } from '../service/client.ts'
import { entryText, useEntries, useLogs } from '../service/logs.ts'
import { textOf } from '../service/messages.ts'
import { reread } from '../service/resources.ts'
import { events } from '../service/stream.ts'
import { useTasks } from '../service/tasks.ts'
import type { LogEntry, LogService, Task } from '../types.ts'
import { labelOf, t } from '../words/index.ts'

/** All logs and tasks in one list, or one of them, with new events as they arrive. The address holds the choice. */
export function Log() {
  return <Loaded from={useLogs()}>{(logs) => <Lines logs={logs} />}</Loaded>
}

const chosen = (name: string) => place.value.choices.get(name) ?? ''

function Lines({ logs }: { readonly logs: readonly LogService[] }) {
  const id = chosen('log')
  // POST codes are a trace: each boot adds dozens, between which nothing else would be found.
  const shownLogs = logs.filter((each) => (id === '' ? each.Id !== 'PostCodes' : each.Id === id))
  const entries = useEntries(shownLogs)
  const tasks = useTasks()
  const wantsTasks = id === '' || id === 'tasks'
  const sources: readonly Known<unknown>[] = [...entries, ...(wantsTasks ? [tasks] : [])]
  const missing = sources.find(isMissing)
  const lines =
    id === 'live'
      ? events.value.map(eventLine)
      : newestFirst([
          ...shownLogs.flatMap((log, at) => (valueIn(entries[at]!) ?? []).map((each) => entryLine(each, log))),
          ...(wantsTasks ? (valueIn(tasks) ?? []).map(taskLine) : [])
        ])
  const wanted = {
    severity: chosen('severity'),
    range: chosen('range'),
    state: chosen('state')
  }
  const found = lines.filter((each) => isWanted(each, wanted, serviceTime()))
  const log = id === '' ? undefined : shownLogs[0]
  const name = log?.Name ?? (id === 'live' ? t('liveEvents') : id === 'tasks' ? t('tasks') : t('allLogs'))
  return (
    <>
      {missing && <Loaded from={missing}>{() => null}</Loaded>}
      <Card title={name}>
        <Table
          caption={name}
          columns={[
            { head: t('time'), value: ({ time }) => time, cell: ({ time }) => <Time of={time} /> },
            {
              head: t('severity'),
              value: ({ severity }) => severity,
              cell: ({ severity }) => <Health of={severity} />
            },
            { head: t('message'), value: ({ text }) => text },
            ...(id === '' ? [{ head: t('log'), value: ({ log: of }: Line) => of }] : []),
            {
              head: t('state'),
              value: ({ resolved }) => (resolved === undefined ? '' : t(resolved ? 'resolved' : 'unresolved'))
            },
            ...(found.some(({ origin }) => origin !== '') ? [originColumn()] : [])
          ]}
          rows={found}
          keyOf={({ key }) => key}
          empty={t('noEntries')}
          words={chosen('words')}
          onWords={(words) => choose('words', words)}
          tools={
            <>
              <Choice
                name="log"
                label={t('log')}
                choices={[
                  ['', t('allLogs')],
                  ...logs.map((each) => [each.Id, each.Name] as const),
                  ['tasks', t('tasks')],
                  ['live', t('liveEvents')]
                ]}
              />
              <Choice
                name="severity"
                label={t('severity')}
                choices={[
                  ['', t('allSeverities')],
                  ...['OK', 'Warning', 'Critical'].map((each) => [each, labelOf(each)] as const)
                ]}
              />
              <Choice
                name="range"
                label={t('timeRange')}
                choices={[
                  ['', t('allTimes')],
                  ...(Object.keys(ranges) as (keyof typeof ranges)[]).map((each) => [each, t(`last${each}`)] as const)
                ]}
              />
              <Choice
                name="state"
                label={t('state')}
                choices={[
                  ['', t('openAndResolved')],
                  ['open', t('openOnly')]
                ]}
              />
            </>
          }
        />
      </Card>
      {log && <Clear log={log} />}
    </>
  )
}

const originColumn = () => ({
  head: t('origin'),
  value: ({ origin }: Line) => origin,
  cell: ({ origin }: Line) => origin && <a href={addressOf(`explorer${origin}`)}>{t('show')}</a>
})

/** Whether it is to be said why something is not in the list. */
const isMissing = (known: Known<unknown>) => known.state !== 'there' || failureIn(known) !== undefined

interface ChoiceProps {
  readonly name: string
  readonly label: string
  readonly choices: readonly (readonly [value: string, text: string])[]
}

/** A choice that is kept in the address. */
function Choice({ name, label, choices }: ChoiceProps) {
  return (
    <select aria-label={label} value={chosen(name)} onChange={({ currentTarget }) => choose(name, currentTarget.value)}>
      {choices.map(([value, text]) => (
        <option key={value} value={value} selected={value === chosen(name)}>
          {text}
        </option>
      ))}
    </select>
  )
}

function Clear({ log }: { readonly log: LogService }) {
  const clear = log.Actions?.['#LogService.ClearLog']
  if (clear === undefined) return null
  return (
    <Action
      label={t('clearLog')}
      kind="danger"
      question={t('clearQuestion', log.Name)}
      act={async () => {
        await send('POST', clear.target, {})
        await reread(log.Entries?.['@odata.id'] ?? '')
        toast(t('cleared', log.Name))
      }}
    />
  )
}

function entryLine(entry: LogEntry, log: LogService): Line {
  const { '@odata.id': key, Created, Severity, Resolved } = entry
  return {
    key,
    time: Created ?? '',
    severity: Severity ?? '',
    text: entryText(entry),
    origin: '',
    log: log.Name,
    resolved: Resolved ?? undefined
  }
}

function taskLine(task: Task): Line {
  const { '@odata.id': key, Name, StartTime, EndTime, TaskState, TaskStatus } = task
  const text = `${Name}: ${labelOf(TaskState)}`
  return {
    key,
    time: EndTime ?? StartTime ?? '',
    severity: TaskStatus ?? '',
    text,
    origin: key,
    log: t('tasks')
  }
}

function eventLine(event: (typeof events.value)[number]): Line {
  const { EventId, EventTimestamp, MessageSeverity, MessageId, OriginOfCondition, ...rest } = event
  return {
    key: String(EventId),
    time: EventTimestamp ?? '',
    severity: MessageSeverity ?? '',
    text: textOf({ MessageId, ...rest }).text,
    origin: OriginOfCondition?.['@odata.id'] ?? '',
    log: t('liveEvents')
  }
}
