import { useState } from 'preact/hooks'
import { Action, Outcome } from '../parts/action.tsx'
import { useOperation } from '../parts/operation.ts'
import { Messages } from '../parts/problem.tsx'
import { Card, Health, Loaded, Table } from '../parts/show.tsx'
import { whyReadOnly } from '../parts/submit.tsx'
import type { ShownMessage } from '../rules/failure.ts'
import { valueIn } from '../rules/known.ts'
import { send } from '../service/client.ts'
import { useManager } from '../service/machine.ts'
import { useResource } from '../service/resources.ts'
import { upload } from '../service/upload.ts'
import type { Expanded, Software, Task, UpdateService } from '../types.ts'
import { t } from '../words/index.ts'

/** Firmware: what runs, what starts next, and a place to drop a file. */
export function Updates() {
  const service = useResource<UpdateService>('/redfish/v1/UpdateService/')
  return (
    <Loaded from={service}>
      {(value) => (
        <div class="cards wide">
          <Upload service={value} />
          <Tasks />
          <Inventory />
        </div>
      )}
    </Loaded>
  )
}

function Upload({ service }: { readonly service: UpdateService }) {
  const operation = useOperation()
  const [file, setFile] = useState<File | undefined>()
  const [sent, setSent] = useState(0)
  const [over, setOver] = useState(false)
  const times =
    service.Actions?.['#UpdateService.SimpleUpdate']?.['@Redfish.OperationApplyTimeSupport']?.SupportedValues ?? []
  const [time, setTime] = useState('OnReset')
  const start = () => {
    if (file === undefined || whyReadOnly() !== undefined) return
    setSent(0)
    const parameters = { '@Redfish.OperationApplyTime': time }
    void operation
      .run(() => upload(service.MultipartHttpPushUri ?? '', parameters, file, setSent))
      .then((isDone) => isDone && setFile(undefined))
  }
  return (
    <Card title={t('upload')}>
      <label
        class={`drop ${over ? 'over' : ''}`}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setOver(false)
          setFile(event.dataTransfer?.files[0])
        }}
      >
        {file === undefined ? t('dropFile') : `${file.name}, ${Math.ceil(file.size / 1024)} KiB`}
        <input
          type="file"
          aria-label={t('updateFile')}
          onChange={({ currentTarget }) => setFile(currentTarget.files?.[0])}
        />
      </label>
      <label>
        {t('applyTime')}
        <select value={time} onChange={({ currentTarget }) => setTime(currentTarget.value)}>
          {times.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </label>
      <button
        type="button"
        class="primary"
        aria-disabled={file === undefined || whyReadOnly() !== undefined}
        title={whyReadOnly()}
        aria-busy={operation.busy}
        onClick={start}
      >
        {t('update')}
      </button>
      {operation.busy && <progress aria-label={t('upload')} max={1} value={sent} />}
      <Outcome operation={operation} />
    </Card>
  )
}

function Tasks() {
  const tasks = useResource<Expanded<Task>>('/redfish/v1/TaskService/Tasks/?$expand=.')
  return (
    <Card title={t('tasks')}>
      <Loaded from={tasks}>
        {({ Members }) =>
          Members.length === 0 ? (
            <p>{t('noTasks')}</p>
          ) : (
            [...Members].reverse().map((each) => <TaskFacts key={each.Id} task={each} />)
          )
        }
      </Loaded>
    </Card>
  )
}

function TaskFacts({ task }: { readonly task: Task }) {
  const { PercentComplete = 0, TaskState, TaskStatus } = task
  return (
    <div class="member">
      <b>{task.Name}</b> {TaskState} <Health of={TaskStatus} />{' '}
      <progress aria-label={`${task.Name} ${task.Id}`} max={100} value={PercentComplete ?? 0} />
      <Messages messages={(task.Messages ?? []) as readonly ShownMessage[]} />
      {['Pending', 'Running', 'New', 'Starting'].includes(TaskState ?? '') && (
        <Action
          label={t('giveUp')}
          kind="danger"
          question={t('giveUpQuestion')}
          act={() => send('DELETE', task['@odata.id'])}
        />
      )}
    </div>
  )
}

function Inventory() {
  const software = useResource<Expanded<Software>>('/redfish/v1/UpdateService/FirmwareInventory/?$expand=.')
  const manager = valueIn(useManager())
  const reset = manager?.Actions?.['#Manager.Reset']
  return (
    <Card title={t('firmware')}>
      <Loaded from={software}>
        {({ Members }) => (
          <Table
            caption={t('firmware')}
            head={[t('name'), t('slot'), t('version'), t('state'), t('oldestVersion')]}
            rows={Members.map((each) => [
              each.Name,
              each.Id,
              each.Version ?? '–',
              each.Staged ? t('staged') : each.Active ? t('active') : '',
              each.LowestSupportedVersion ?? ''
            ])}
          />
        )}
      </Loaded>
      {reset !== undefined && (
        <Action
          label={t('resetController')}
          kind="danger"
          question={t('resetControllerQuestion')}
          act={() => send('POST', reset.target, { ResetType: 'GracefulRestart' })}
        />
      )}
    </Card>
  )
}
