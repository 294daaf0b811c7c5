import { type FaultRule, faultRulesSchema } from '#data/fleet'
import { type Caller, fileFaults, type Message, MessageError, message } from '#runtime/contract'
import { type Answer, answer, failure, type Messages } from '#runtime/request/answer.ts'
import type { Begun } from '#runtime/request/handle.ts'
import { type Head, split } from '#runtime/request/head.ts'
import type { SharedDatabase } from '#runtime/store/shared.ts'
import type { Controller } from './controller.ts'
import { faultsKey, ownPart } from './fleet.ts'

const uri = '/redfish/v1/Oem/Vendor/Faults'

/** The most bytes of the body of a request. */
const longest = 65_536

/**
 * A resource of each controller that says what goes wrong with requests to it, and that its administrators change. No
 * fault keeps anybody from it.
 */
export class Control {
  readonly #database: SharedDatabase
  readonly #messages: Messages
  readonly #changed: () => void

  /** @param changed is called when there are other faults */
  constructor(database: SharedDatabase, messages: Messages, changed: () => void) {
    this.#changed = changed
    this.#database = database
    this.#messages = messages
  }

  isAt({ target }: Head): boolean {
    return split(target)[0].replace(/\/$/, '') === uri
  }

  /** Never throws. */
  async begin(controller: Controller, head: Head): Promise<Begun> {
    try {
      let caller: Caller | undefined
      const identified = (who: Caller) => {
        caller = who
      }
      const { handling } = await controller.open()
      const known = await handling.begin({ ...head, method: 'GET', target: '/redfish/v1/Managers/' }, { identified })
      if (caller === undefined) return known
      if (!caller.privileges.has('MgmtConfigPriv')) return this.#refuse(403, message('Base.InsufficientPrivilege'))
      if (head.method === 'GET') return this.#shown(controller)
      if (head.method !== 'PATCH') return this.#refuse(405, message('Base.OperationNotAllowed'))
      return { limit: longest, user: caller.user, finish: (body) => this.#change(controller, body) }
    } catch {
      return this.#refuse(503, message('Base.InternalError'))
    }
  }

  async #change(controller: Controller, body: Uint8Array): Promise<Answer> {
    let wanted: unknown
    try {
      wanted = JSON.parse(new TextDecoder().decode(body))
    } catch {
      return this.#refuse(400, message('Base.MalformedJSON'))
    }
    if (fileFaults(faultRulesSchema, wanted).length > 0)
      return this.#refuse(400, message('Base.PropertyValueError', 'Rules'))
    const { Rules } = wanted as { Rules: readonly FaultRule[] }
    await this.#database.write(ownPart, [{ key: faultsKey(controller.number), value: JSON.stringify(Rules) }])
    controller.faults.rules = Rules
    this.#changed()
    return this.#shown(controller)
  }

  #shown({ faults }: Controller): Answer {
    return answer(
      200,
      [],
      JSON.stringify({ '@odata.id': `${uri}/`, Id: 'Faults', Name: 'Faults', Rules: faults.rules })
    )
  }

  #refuse(status: number, reason: Message): Answer {
    return failure(new MessageError(status, [reason]), this.#messages, uri)
  }
}
