import { type Answer, answer, type Messages } from './answer.ts'
import { parseBody } from './body.ts'
import { checkAction, checkCreate, checkPatch, checkPut } from './check.ts'
import { fail, MessageError } from './errors.ts'
import { matches } from './etag.ts'
import type { Caller, Command, Context, Method, Outcome } from './handler.ts'
import { message } from './messages.ts'
import type { Reading } from './read.ts'
import type { Head } from './request.ts'
import type { Found, Route } from './routes.ts'
import { type Surroundings, View } from './view.ts'

/** Carries out what is not writing: tells the machine or the service itself. */
export type Performer = (command: Command) => Promise<void>

type Run = (context: Context<string, unknown>) => Outcome | Promise<Outcome>

/** How often a change is worked out anew because what it rested on moved under it. */
const attempts = 5

/** PATCH, POST, PUT and DELETE: check, run the handler, make its writes durable, tell the machine, answer. */
export class Writing {
  readonly #around: Surroundings
  readonly #reading: Reading
  readonly #messages: Messages
  readonly #perform: Performer

  constructor(around: Surroundings, reading: Reading, messages: Messages, perform: Performer) {
    this.#around = around
    this.#reading = reading
    this.#messages = messages
    this.#perform = perform
  }

  async write(head: Head, found: Found, method: Method, caller: Caller, bytes: Uint8Array): Promise<Answer> {
    const precondition = head.headers['if-match']
    let checked = this.#precondition(precondition, found, caller)
    const body = method === 'DELETE' ? undefined : this.#check(found.route, method, bytes)
    const run = found.route.module[method] as Run
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const view = new View(this.#around, caller)
      const outcome = await run(view.context(found.params, found.uri, body))
      const stands = () => view.stands() && (checked?.stands() ?? true)
      if (await this.#around.store.commit(outcome.writes ?? {}, stands)) return this.#finish(outcome)
      checked = this.#precondition(precondition, found, caller)
    }
    throw new MessageError(503, [message('Base.ServiceTemporarilyUnavailable', '1')], { 'Retry-After': '1' })
  }

  /** The view that `If-Match` holds in (RFC 9110 13.1.1). */
  #precondition(header: string | undefined, found: Found, caller: Caller): View | undefined {
    if (header === undefined) return undefined
    const present = this.#reading.tag(found, caller)
    if (matches(header, present?.tag ?? '"') !== true) fail(412, 'Base.PreconditionFailed')
    return present?.view
  }

  #check({ module, action, template }: Route, method: Method, bytes: Uint8Array): unknown {
    const body = parseBody(bytes, this.#around.configuration.limits)
    const parameters = module.body ?? { type: 'object', properties: {} }
    if (action) return checkAction(parameters, body, template.slice(template.lastIndexOf('/') + 1))
    if (method === 'POST') return checkCreate(parameters, body)
    const schema = module.schema ?? parameters
    return method === 'PUT' ? checkPut(schema, body) : checkPatch(schema, body)
  }

  async #finish(outcome: Outcome): Promise<Answer> {
    for (const command of outcome.commands ?? []) await this.#perform(command)
    const { status, messages, location, show, headers = {} } = outcome
    const own = Object.entries({ ...headers, ...(location !== undefined && { Location: `${location}/` }) }).flat()
    const secret = Object.keys(headers).some((name) => name.toLowerCase() === 'x-auth-token')
    if (status === 204) return answer(204, own, undefined)
    if (location === undefined || show === undefined) {
      return answer(status, own, JSON.stringify(this.#messages.error(messages)), { secret })
    }
    const said = messages.filter(({ key }) => key !== 'Base.Created')
    const annotation = said.length > 0 ? this.#messages.annotation(said) : undefined
    return answer(status, own, JSON.stringify({ ...this.#reading.show(location, show), ...annotation }), { secret })
  }
}
