import type { Server } from './server.ts'

const system = '/redfish/v1/Systems/1/'
const accounts = '/redfish/v1/AccountService/Accounts'

/** The changes that clients asked for, and those of them that were acknowledged as stored. */
export class Ledger {
  writes = 0
  readonly #asked = new Set(['admin'])
  readonly #created = new Set(['admin'])
  #tag: string | undefined
  #askedTag: string | undefined

  /** Creates one account after the other until the service is gone. */
  async createAccounts(server: Server, round: number, acknowledged: () => void): Promise<void> {
    for (let count = 1; ; count++) {
      const name = `user-${round}-${count}`
      this.#asked.add(name)
      const body = { UserName: name, Password: 'Green-Door-4', RoleId: 'ReadOnly' }
      const answer = await server.post(accounts, body).catch(() => undefined)
      if (!answer) return
      if (answer.status !== 201) throw new Error(answer.text)
      this.#created.add(name)
      this.writes++
      acknowledged()
    }
  }

  /** Sets the asset tag again and again until the service is gone. */
  async setAssetTag(server: Server, round: number, acknowledged: () => void): Promise<void> {
    for (let count = 1; ; count++) {
      const tag = `rack ${round}.${count}`
      this.#askedTag = tag
      const answer = await server.patch(system, { AssetTag: tag }).catch(() => undefined)
      if (!answer) return
      if (answer.status !== 200) throw new Error(answer.text)
      this.#tag = tag
      this.writes++
      acknowledged()
    }
  }

  /** Unrequested records, and acknowledged changes that are missing. */
  async compare(server: Server): Promise<string[]> {
    const { AssetTag } = (await server.get(system)).json
    const wrong = [this.#tag, this.#askedTag].includes(AssetTag) || this.writes === 0 ? [] : [`tag ${AssetTag}`]
    const stored = await usersOf(server)
    for (const user of this.#created) if (!stored.has(user)) wrong.push(`no ${user}`)
    for (const user of stored) if (!this.#asked.has(user)) wrong.push(`unknown ${user}`)
    // A change that was not acknowledged may be stored; from now on it has to stay.
    this.#tag = AssetTag
    for (const user of stored) this.#created.add(user)
    return wrong
  }
}

async function usersOf(server: Server): Promise<Set<string>> {
  const users = new Set<string>()
  for (let page: string | undefined = `${accounts}/`; page; ) {
    const { json } = await server.get(page)
    for (const { '@odata.id': id } of json.Members) users.add(id.slice(accounts.length + 1, -1))
    page = json['Members@odata.nextLink']
  }
  return users
}
