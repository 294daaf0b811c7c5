import { useState } from 'preact/hooks'
import { Action, Outcome } from '../parts/action.tsx'
import { useWhyNot } from '../parts/allowed.ts'
import { controllerRestart } from '../parts/commands.ts'
import { FileChoice } from '../parts/file-choice.tsx'
import { useOperation } from '../parts/operation.ts'
import { Messages } from '../parts/problem.tsx'
import { Card, Loaded } from '../parts/show.tsx'
import { Stepper } from '../parts/stepper.tsx'
import { Table } from '../parts/table.tsx'
import type { ShownMessage } from '../rules/failure.ts'
import { absent, valueIn } from '../rules/known.ts'
import { updateSteps } from '../rules/update.ts'
import { send } from '../service/client.ts'
import { useKept } from '../service/kept.ts'
import { useManager } from '../service/machine.ts'
import { useResource } from '../service/resources.ts'
import { isUnderWay } from '../service/tasks.ts'
import { upload } from '../service/upload.ts'
import type { Expanded, Software, Task, UpdateService } from '../types.ts'
import { labelOf, t, type Word } from '../words/index.ts'

/** Firmware: what runs, what starts next, and a place to drop a file. */
export function Updates() {
  const service = useResource<UpdateService>('/redfish/v1/UpdateService/')
  return (
    <Loaded from={service}>
      {(value) => (
        <div class="cards wide">
          <Upload service={value} />
          <Firmware />
        </div>
      )}
    </Loaded>
  )
}

function Upload({ service }: { readonly service: UpdateService }) {
  const operation = useOperation()
  const whyNot = useWhyNot()
  const [file, setFile] = useState<File | undefined>()
  const [sent, setSent] = useState(0)
  const [task, setTask] = useKept('update task')
  const times =
    service.Actions?.['#UpdateService.SimpleUpdate']?.['@Redfish.OperationApplyTimeSupport']?.SupportedValues ?? []
  const [time, setTime] = useState('OnReset')
  const start = () => {
    if (file === undefined || whyNot !== undefined) return
    setSent(0)
    const parameters = { '@Redfish.OperationApplyTime': time }
    void operation
      .run(async () => {
        setTask('')
        const answer = await upload(service.MultipartHttpPushUri ?? '', parameters, file, setSent)
        setTask(String(answer.body['@odata.id'] ?? ''))
        return answer
      })
      .then((isDone) => isDone && setFile(undefined))
  }
  return (
    <Card title={t('upload')}>
      <FileChoice label={t('updateFile')} hint={t('dropFile')} file={file} onChoose={setFile} />
      <label>
        {t('applyTime')}
        <select value={time} onChange={({ currentTarget }) => setTime(currentTarget.value)}>
          {times.map((each) => (
            <option key={each} value={each}>
              {labelOf(each)}
            </option>
          ))}
        </select>
      </label>
      <button
        type="button"
        class="primary"
        aria-disabled={file === undefined || whyNot !== undefined}
        title={whyNot}
        aria-busy={operation.busy}
        onClick={start}
      >
        {t('update')}
      </button>
      {(operation.busy || task !== '') && <Progress sent={sent} uri={task} />}
      <Outcome operation={operation} />
    </Card>
  )
}

/** The update that this tab asked for: how far it is, and how it can be given up. */
function Progress({ sent, uri }: { readonly sent: number; readonly uri: string }) {
  const task = valueIn(useResource<Task>(uri === '' ? absent : uri))
  const waits = task !== undefined && isUnderWay(task) && task.TaskState !== 'Running'
  return (
    <>
      <Stepper label={t('progressOfUpdate')} steps={updateSteps(sent, task)} />
      {task && <Messages messages={(task.Messages ?? []) as readonly ShownMessage[]} />}
      {waits && (
        <p>
          {t('undoneUntilRestart')}{' '}
          <Action
            label={t('giveUp')}
            kind="danger"
            question={t('giveUpQuestion')}
            act={() => send('DELETE', task['@odata.id'])}
          />
        </p>
      )}
    </>
  )
}

/** The places of a component that has two: what runs, and what the other one has. */
function Slots({ of }: { readonly of: readonly Software[] }) {
  const [first] = of
  return (
    <fieldset class="slots">
      <legend>{first?.Name}</legend>
      {of.map((each) => (
        <div key={each.Id} class={each.Active ? 'active' : ''}>
          <small>{each.Id}</small>
          <b>{each.Version || '–'}</b>
          <span class={`badge ${each.Active ? 'good' : each.Staged ? 'main' : ''}`}>{t(slotState(each))}</span>
        </div>
      ))}
    </fieldset>
  )
}

function slotState({ Active, Staged, Version }: Software): Word {
  if (Active) return 'active'
  if (Staged) return 'staged'
  return Version ? 'versionBefore' : 'empty'
}

/** All firmware: the components with two slots as pictures, and each place in a table. */
function Firmware() {
  const software = useResource<Expanded<Software>>('/redfish/v1/UpdateService/FirmwareInventory/?$expand=.')
  const manager = valueIn(useManager())
  const restart = manager && controllerRestart(manager)
  return (
    <Card title={t('firmware')}>
      <Loaded from={software}>
        {({ Members }) => (
          <>
            {[...new Set(Members.map(({ Name }) => Name))]
              .map((name) => Members.filter(({ Name }) => Name === name))
              .filter(({ length }) => length > 1)
              .map((of) => (
                <Slots key={of[0]?.Name} of={of} />
              ))}
            <Table
              caption={t('firmware')}
              columns={[
                { head: t('name'), value: ({ Name }) => Name },
                { head: t('slot'), value: ({ Id }) => Id },
                { head: t('version'), value: ({ Version }) => Version, cell: ({ Version }) => Version || '–' },
                {
                  head: t('state'),
                  value: ({ Staged, Active }) => (Staged ? t('staged') : Active ? t('active') : '')
                },
                { head: t('oldestVersion'), value: ({ LowestSupportedVersion }) => LowestSupportedVersion }
              ]}
              rows={Members}
              keyOf={(each) => each['@odata.id']}
            />
          </>
        )}
      </Loaded>
      {restart && <Action {...restart} />}
    </Card>
  )
}
