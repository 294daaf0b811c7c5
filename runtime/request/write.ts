import { neededBy, ownerOf } from '#data/ownership'
import type { UpdateUpload } from '#data/updates'
import { SerialQueue } from '#runtime/base/serial-queue.ts'
import {
  busy,
  type Caller,
  type Command,
  type Commands,
  type Context,
  type Event,
  event,
  fail,
  type Method,
  merged,
  type Outcome,
  type Performers,
  type TestEvent
} from '#runtime/contract'
import type { Events } from '#runtime/service/events/events.ts'
import { type Answer, answer, type Messages } from './answer.ts'
import type { Basis } from './basis.ts'
import { parseBody } from './body.ts'
import { checkAction, checkCreate, checkPatch, checkPut } from './check.ts'
import { matchesState } from './etag.ts'
import type { Grants } from './grants.ts'
import type { Head } from './head.ts'
import type { Rendering } from './render.ts'
import type { Route, RouteMatch } from './routes.ts'
import type { Environment } from './view.ts'

type Run = (context: Context<string, unknown>) => Outcome | Promise<Outcome>

/** The most attempts to work out a change while the state that it read keeps changing. */
const attempts = 5

/** PATCH, POST, PUT and DELETE: check, run the handler, make its writes durable, tell the machine, answer. */
export class Writing {
  readonly #environment: Environment
  readonly #grants: Grants
  readonly #rendering: Rendering
  readonly #messages: Messages
  readonly #performers: Performers
  readonly #events: Events
  /** Requests that are worked out anew: many that want the same at once would keep one another from it. */
  readonly #retries = new SerialQueue()

  constructor(
    environment: Environment,
    grants: Grants,
    rendering: Rendering,
    messages: Messages,
    performers: Performers,
    events: Events
  ) {
    this.#environment = environment
    this.#grants = grants
    this.#rendering = rendering
    this.#messages = messages
    this.#performers = performers
    this.#events = events
  }

  async write(
    head: Head,
    found: RouteMatch,
    method: Method,
    caller: Caller,
    bytes: Uint8Array,
    upload?: UpdateUpload
  ): Promise<Answer> {
    const precondition = head.headers['if-match']
    let checked = this.#precondition(precondition, found, caller)
    const body = method === 'DELETE' ? undefined : this.#check(found, method, caller, bytes)
    const run = found.route.module[method] as Run
    // Much may happen until the body is here and the change is worked out: what counts is whether it may be made then.
    const present = () => this.#grants.check({ found, method, caller })
    const attempt = async () => {
      const asking = present()
      const basis = this.#rendering.basis(asking, head.socket?.localAddress)
      const context = this.#rendering.context(found, basis, body, upload)
      const outcome = await run(context)
      const owner = ownerOf(neededBy(outcome, context.machine.board), context.state, context.machine.board)
      if (owner !== undefined) fail(409, 'Mgmt.InUseByTask', owner.uri, owner.name)
      // An account's privileges are one set until its record changes.
      const isCurrent = () =>
        present().privileges === asking.privileges && basis.isCurrent() && (checked?.isCurrent() ?? true)
      const events = [...resourceEvents(found, method, outcome), ...(outcome.events ?? [])]
      const durable = (outcome.commands ?? []).length === 0 ? events : []
      const writes = () => merged(outcome.writes ?? {}, this.#events.writes(durable))
      if (await this.#environment.store.commit(writes, isCurrent))
        return { outcome, remaining: events.slice(durable.length) }
      checked = this.#precondition(precondition, found, caller)
      return undefined
    }
    const { outcome, remaining } = (await attempt()) ?? (await this.#retries.run(() => retry(attempt)))
    return this.#finish(outcome, remaining)
  }

  /** The basis that `If-Match` holds for (RFC 9110 13.1.1). */
  #precondition(header: string | undefined, found: RouteMatch, caller: Caller): Basis | undefined {
    if (header === undefined) return undefined
    const present = this.#rendering.tag(found, caller)
    if (present === undefined || matchesState(header, present.tag) !== true) fail(412, 'Base.PreconditionFailed')
    return present.basis
  }

  /** The body as the handler wants it. Where there is nothing at the URI, that goes before any fault of the body. */
  #check(found: RouteMatch, method: Method, caller: Caller, bytes: Uint8Array): unknown {
    try {
      return this.#parse(found.route, method, bytes)
    } catch (error) {
      this.#rendering.tag(found, caller)
      throw error
    }
  }

  #parse({ module, action, template }: Route, method: Method, bytes: Uint8Array): unknown {
    const body = parseBody(bytes, this.#environment.configuration.limits)
    const parameters = module.body ?? { type: 'object', properties: {} }
    if (action) return checkAction(parameters, body, template.slice(template.lastIndexOf('/') + 1), module.ignored)
    if (method === 'POST') return checkCreate(parameters, body)
    const schema = module.schema ?? parameters
    return method === 'PUT' ? checkPut(schema, body) : checkPatch(schema, body)
  }

  /** @param events sent once the commands are carried out */
  async #finish(outcome: Outcome, events: readonly (Event | TestEvent)[]): Promise<Answer> {
    for (const command of outcome.commands ?? []) await perform(this.#performers, command)
    if (events.length > 0) await this.#events.emit(...events)
    const { status, messages, location, show, headers = {}, result } = outcome
    const own = Object.entries({
      ...headers,
      ...(location !== undefined && { Location: `${this.#rendering.located(location)}/` })
    }).flat()
    const secret = Object.keys(headers).some((name) => name.toLowerCase() === 'x-auth-token')
    const cache = secret ? 'never' : 'checked'
    if (location === undefined || show === undefined) {
      return answer(status, own, JSON.stringify({ ...result, ...this.#messages.success(messages) }), { cache })
    }
    const extended = messages.filter(({ key }) => key !== 'Base.Created')
    const annotation = extended.length > 0 ? this.#messages.annotation(extended) : undefined
    return answer(status, own, JSON.stringify({ ...this.#rendering.show(location, show), ...annotation }), { cache })
  }
}

function perform<K extends keyof Commands>(performers: Performers, command: Command<K>): Promise<void> {
  return performers[command.kind](command)
}

/** @throws MessageError 503 when what it depends on moves each time */
async function retry<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let count = 1; count < attempts; count += 1) {
    const result = await attempt()
    if (result !== undefined) return result
  }
  throw busy(1)
}

/** The events of every method about the resource that it names. Actions tell their own events. */
function resourceEvents({ uri, route }: RouteMatch, method: Method, { writes, commands, location }: Outcome): Event[] {
  if (location !== undefined) return [event('ResourceEvent.ResourceCreated', location)]
  if (method === 'DELETE') return [event('ResourceEvent.ResourceRemoved', uri)]
  const untouched = Object.keys(writes ?? {}).length === 0 && (commands ?? []).length === 0
  return route.action || untouched ? [] : [event('ResourceEvent.ResourceChanged', uri)]
}
