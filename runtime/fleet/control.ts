import { faultControlSchema } from '#data/fleet'
import { utf8Text } from '#runtime/base/bytes.ts'
import { type Caller, type Message, MessageError, message } from '#runtime/contract'
import { type Answer, answer, failure, type Messages } from '#runtime/request/answer.ts'
import type { Begun } from '#runtime/request/handle.ts'
import { checkContentType, type Head, split } from '#runtime/request/head.ts'
import type { Origins } from '#runtime/request/origin.ts'
import { fileFaults } from '#runtime/schema'
import type { Controller } from './controller.ts'
import type { FaultSetting, Faulty } from './fault-setting.ts'
import { rewritten } from './faults.ts'

const root = '/redfish/v1'
const uri = `${root}/Oem/Vendor/Faults`

/** The service root, or what a client selects of it. */
interface Root {
  readonly Oem?: { readonly Vendor: object }
}

const linked = (given: Answer): Answer =>
  rewritten(given, (key, value) => {
    if (key !== '') return value
    const { Oem, ...others } = value as Root
    const Faults = { '@odata.id': `${uri}/` }
    return { ...others, ...(Oem && { Oem: { Vendor: { ...Oem.Vendor, Faults } } }) }
  })

/** Without the slash at its end. */
const pathOf = (target: string): string => split(target).path.replace(/\/$/, '')

/** The most bytes of the body of a request. */
const longest = 65_536

/**
 * A resource of each controller that says what goes wrong with requests to it and with its devices, and that its
 * administrators change. No rule keeps anybody from it, but while the controller reboots.
 */
export class Control {
  readonly #setting: FaultSetting
  readonly #origins: Origins
  readonly #messages: Messages

  constructor(setting: FaultSetting, origins: Origins, messages: Messages) {
    this.#setting = setting
    this.#origins = origins
    this.#messages = messages
  }

  isAt({ target }: Head): boolean {
    return pathOf(target) === uri
  }

  /** A function that puts a link to this resource into the service root; undefined for requests of anything else. */
  link({ target }: Head): ((given: Answer) => Answer) | undefined {
    return pathOf(target) === root ? linked : undefined
  }

  /** Never throws. */
  async begin(controller: Controller, head: Head): Promise<Begun> {
    try {
      if (head.method !== 'GET') this.#origins.check(head.headers)
      let caller: Caller | undefined
      const identified = (who: Caller) => {
        caller = who
      }
      const { handling } = await controller.open()
      const known = await handling.begin({ ...head, method: 'GET', target: '/redfish/v1/Managers/' }, { identified })
      if (caller === undefined || !('status' in known) || known.status !== 200) return known
      if (!caller.privileges.has('MgmtConfigPriv')) return this.#refuse(403, message('Base.InsufficientPrivilege'))
      if (head.method === 'GET') return this.#shown(controller)
      if (head.method !== 'PATCH') return this.#refuse(405, message('Base.OperationNotAllowed'))
      checkContentType(head.headers)
      return { limit: longest, user: caller.user, finish: (body) => this.#change(controller, body) }
    } catch (error) {
      if (error instanceof MessageError) return failure(error, this.#messages, uri)
      return this.#refuse(503, message('Base.InternalError'))
    }
  }

  async #change(controller: Controller, body: Uint8Array): Promise<Answer> {
    let wanted: unknown
    try {
      wanted = JSON.parse(utf8Text(body))
    } catch {
      return this.#refuse(400, message('Base.MalformedJSON'))
    }
    const [fault] = fileFaults(faultControlSchema, wanted)
    if (fault !== undefined) return this.#wrong(fault.split(/[/ ]/)[0]!)
    try {
      await this.#setting.change(controller, () => wanted as Faulty)
      return this.#shown(controller)
    } catch (error) {
      return failure(error as MessageError, this.#messages, uri)
    }
  }

  #shown({ faults, deviceFaults }: Controller): Answer {
    const shown = {
      ...{ '@odata.id': `${uri}/`, '@odata.type': '#VendorFaults.v1_0_0.VendorFaults', Id: 'Faults', Name: 'Faults' },
      ...{ Rules: faults.rules, Devices: deviceFaults }
    }
    return answer(200, [], JSON.stringify(shown))
  }

  #wrong(member: string): Answer {
    return this.#refuse(400, message('Base.PropertyValueError', member))
  }

  #refuse(status: number, reason: Message): Answer {
    return failure(new MessageError(status, [reason]), this.#messages, uri)
  }
}
