import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { fieldOf } from '../rules/concerned.ts'
import { type Draft, draftOf } from '../rules/drafts.ts'
import { Failure, type ShownMessage } from '../rules/failure.ts'
import { type Shown, send } from '../service/client.ts'
import { type Drafts, useDrafts } from '../service/drafts.ts'
import { reread } from '../service/resources.ts'
import { t } from '../words/index.ts'
import { Outcome } from './action.tsx'
import type { Allowed } from './allowed.ts'
import { ChangedElsewhere } from './elsewhere.tsx'
import { FieldProblem } from './field-problem.tsx'
import { type Operation, useOperation } from './operation.ts'
import { Modal } from './question.tsx'
import { Status } from './show.tsx'
import { Submit } from './submit.tsx'
import { Switch } from './switch.tsx'

type Texts<N extends string> = Readonly<Record<N, string>>

/** The error text of each invalid field. */
type Wrong<N extends string> = { readonly [name in N]?: string | undefined }

interface Options<N extends string> {
  /** Where it is sent. */
  readonly uri: string
  readonly method?: 'PATCH' | 'POST'
  /** Distinguishes it from another form of the same fields. */
  readonly of?: string
  /** The service's values, as texts; `true` and `false` for switches. */
  readonly stored: Texts<N>
  /** The property that each field is about, by its path, as `VLAN/VLANId`: what the service says of it is shown there. */
  readonly properties: Texts<N>
  /** Those that are passwords: they are not kept as drafts. */
  readonly secrets?: readonly NoInfer<N>[]
  /** Validates the input: the error text of each invalid field. */
  readonly check?: (entered: Texts<N>, changed: Partial<Texts<N>>) => Wrong<N>
  /** The body to send, from all fields and from the changed ones. */
  readonly body: (entered: Texts<N>, changed: Partial<Texts<N>>) => object
  /** The resource that shows it; absent: the one that it is sent to. */
  readonly shownBy?: string
  /** Called with the body of the answer. */
  readonly onDone?: (answer: Shown) => void
}

export interface Form<N extends string> {
  readonly stored: Texts<N>
  readonly entered: Texts<N>
  readonly drafts: Drafts<string>
  readonly secrets: readonly N[]
  readonly operation: Operation
  /** The fields that are in sight. */
  readonly shown: Set<N>
  /** How often something was wrong when it was sent. */
  readonly failures: number
  /** The page's error text for a field. */
  wrong(name: N): string | undefined
  /** The service's messages about a field, until it is edited. */
  refused(name: N): readonly ShownMessage[]
  /** The service's messages that no field shows. */
  readonly rest: Failure | undefined
  /** @param draft undefined to take what is stored */
  set(name: N, draft: Draft<string> | undefined): void
  enter(name: N, text: string): void
  submit(): Promise<void>
  clear(): void
}

/**
 * A form made by hand. Drafts survive changes by other clients and, except for secrets, the end of the session. Errors
 * appear on submission, at their fields.
 */
export function useForm<N extends string>(options: Options<N>): Form<N> {
  const {
    uri,
    method = 'PATCH',
    of = '',
    stored,
    properties,
    secrets = [],
    check,
    body,
    shownBy = uri,
    onDone
  } = options
  const isSecret = (field: string) => secrets.some((each) => each === field)
  const [drafts, setDrafts] = useDrafts(`${method} ${uri} ${of} ${Object.keys(stored)}`, isSecret)
  const [wrong, setWrong] = useState<Wrong<N>>({})
  const [edited, setEdited] = useState<ReadonlySet<N>>(new Set())
  const [failures, setFailures] = useState(0)
  const shown = useRef(new Set<N>()).current
  const operation = useOperation()
  const changed = Object.fromEntries([...drafts].map(([name, { value }]) => [name, value])) as Partial<Texts<N>>
  const entered = { ...stored, ...changed } as Texts<N>
  const set = (name: N, draft: Draft<string> | undefined) => {
    const next = new Map(drafts)
    if (draft === undefined || draft.value === stored[name]) next.delete(name)
    else next.set(name, draft)
    setDrafts(next)
    setWrong({ ...wrong, [name]: undefined })
    setEdited(new Set([...edited, name]))
  }
  const clear = () => {
    setDrafts(new Map())
    setWrong({})
    operation.clear()
  }
  const submit = async () => {
    const found = check?.(entered, changed) ?? {}
    setWrong(found)
    setEdited(new Set())
    if (Object.values(found).some((each) => each !== undefined)) return setFailures(failures + 1)
    let answer: Shown = {}
    const isStored = await operation.run(async () => {
      const answered = await send(method, uri, body(entered, changed))
      answer = answered.body
      return answered
    })
    if (!isStored) setFailures(failures + 1)
    await reread(shownBy)
    if (!isStored) return
    setDrafts(new Map())
    onDone?.(answer)
  }
  const enter = (name: N, text: string) => set(name, draftOf(drafts.get(name), text, stored[name]))
  const { status = 0, messages = [] } = operation.failure ?? {}
  const refused = (name: N) => (edited.has(name) ? [] : messages.filter((each) => fieldOf(each, properties) === name))
  const others = messages.filter((each) => {
    const field = fieldOf(each, properties)
    return field === undefined || !shown.has(field)
  })
  const isAtFields = messages.length > 0 && others.length === 0
  const rest = operation.failure === undefined || isAtFields ? undefined : new Failure(status, others)
  return {
    stored,
    entered,
    drafts,
    secrets,
    operation,
    shown,
    failures,
    wrong: (name) => wrong[name],
    refused,
    rest,
    set,
    enter,
    submit,
    clear
  }
}

interface Props<N extends string> extends Allowed {
  readonly form: Form<N>
  /** The word on the button that sends it. */
  readonly label: string
  readonly children: ComponentChildren
}

/** The fields of a form, and what sends them. */
export function FormFields<N extends string>({ form, label, children, ...allowed }: Props<N>) {
  const { operation, drafts } = form
  const element = useRef<HTMLFormElement>(null)
  useLayoutEffect(() => {
    if (form.failures > 0) element.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [form.failures])
  return (
    <form
      ref={element}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void form.submit()
      }}
    >
      {children}
      <div class="row">
        <Submit label={label} busy={operation.busy} kind="primary" {...allowed} />
        {drafts.size > 0 && (
          <button type="button" onClick={form.clear}>
            {t('discard')}
          </button>
        )}
        <Status>{operation.done && drafts.size === 0 && <span>{t('saved')}</span>}</Status>
      </div>
      <Outcome operation={{ ...operation, failure: form.rest }} />
    </form>
  )
}

/** A form in a panel at the side; when the panel is closed, what was entered is given up. */
export function FormPanel<N extends string>(
  props: Props<N> & { readonly title: string; readonly onClose: () => void }
) {
  const { title, onClose, ...inner } = props
  const close = () => {
    inner.form.clear()
    onClose()
  }
  return (
    <Modal kind="panel" title={title} onClose={close}>
      <FormFields {...inner} />
    </Modal>
  )
}

/** The errors of a field, which counts as shown while mounted. */
function useProblem<N extends string>({ wrong, refused, shown }: Form<N>, name: N) {
  useEffect(() => {
    shown.add(name)
    return () => void shown.delete(name)
  }, [name])
  const [text, messages] = [wrong(name), refused(name)]
  return {
    isWrong: text !== undefined || messages.length > 0,
    problem: <FieldProblem text={text} messages={messages} />
  }
}

interface FieldProps<N extends string> {
  readonly form: Form<N>
  readonly name: N
  readonly label: string
  readonly help?: string | undefined
  readonly kind?: 'text' | 'number' | 'datetime-local' | 'lines'
  /** How many of its lines are in sight. */
  readonly rows?: number
  /** The choices: values and their texts. */
  readonly choices?: readonly (readonly [value: string, text: string])[]
  /** Its value if another field determines it. */
  readonly fixed?: string | undefined
}

/** A field with its label, its help, and what is wrong with it. */
export function Field<N extends string>(props: FieldProps<N>) {
  const { form, name, label, help, kind = 'text', rows = 2, choices, fixed } = props
  const id = useId()
  const { drafts, stored } = form
  const { isWrong, problem } = useProblem(form, name)
  const [isVisible, setVisible] = useState(false)
  const common = {
    id,
    disabled: fixed !== undefined,
    value: fixed ?? form.entered[name],
    'aria-invalid': isWrong,
    'aria-describedby': `${id}about`,
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      form.enter(name, currentTarget.value)
  }
  const [shown] = choices?.find(([value]) => value === stored[name])?.slice(1) ?? [stored[name]]
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {choices !== undefined ? (
        <select {...common}>
          {choices.map(([value, text]) => (
            <option key={value} value={value} selected={value === common.value}>
              {text}
            </option>
          ))}
        </select>
      ) : kind === 'lines' ? (
        <textarea {...common} rows={rows} />
      ) : form.secrets.includes(name) ? (
        <>
          {isVisible ? (
            <input {...common} type="text" autocomplete="new-password" />
          ) : (
            <input {...common} type="password" autocomplete="new-password" />
          )}
          <label class="check">
            <input
              type="checkbox"
              checked={isVisible}
              onChange={({ currentTarget }) => setVisible(currentTarget.checked)}
            />
            {t('showPassword')}
          </label>
        </>
      ) : kind === 'number' ? (
        <input {...common} type="number" />
      ) : kind === 'datetime-local' ? (
        <input {...common} type="datetime-local" />
      ) : (
        <input {...common} type="text" autocomplete="off" />
      )}
      <ChangedElsewhere
        draft={drafts.get(name)}
        now={stored[name]}
        shown={shown ?? ''}
        label={label}
        onChoose={(draft) => form.set(name, draft)}
      />
      <span id={`${id}about`}>
        {help && <small>{help}</small>}
        {problem}
      </span>
    </div>
  )
}

/** The errors of an input other than a `Field`, and the value that another client has stored meanwhile, in words. */
export function Remarks<N extends string>(
  props: Pick<FieldProps<N>, 'form' | 'name' | 'label'> & { readonly shown: string }
) {
  const { form, name, label, shown } = props
  const { problem } = useProblem(form, name)
  return (
    <>
      {problem}
      <ChangedElsewhere
        draft={form.drafts.get(name)}
        now={form.stored[name]}
        shown={shown}
        label={label}
        onChoose={(draft) => form.set(name, draft)}
      />
    </>
  )
}

/** A field that is on or off. */
export function SwitchField<N extends string>({ form, name, label }: Pick<FieldProps<N>, 'form' | 'name' | 'label'>) {
  const id = useId()
  const { isWrong, problem } = useProblem(form, name)
  return (
    <>
      <Switch
        label={label}
        isOn={form.entered[name] === 'true'}
        isWrong={isWrong}
        about={id}
        onSwitch={(isOn) => form.enter(name, String(isOn))}
      />
      <span id={id}>{problem}</span>
      <ChangedElsewhere
        draft={form.drafts.get(name)}
        now={form.stored[name]}
        shown={t(form.stored[name] === 'true' ? 'yes' : 'no')}
        label={label}
        onChoose={(draft) => form.set(name, draft)}
      />
    </>
  )
}
