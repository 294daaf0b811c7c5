import { collection } from '#data/resource'
import { inventory } from '#data/updates'
import { type Get, members } from '#runtime/contract'

export const schema = collection('SoftwareInventory')

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema> = ({ uri, machine }) => ({
  Name: 'Firmware',
  ...members(
    uri,
    inventory(machine).map(({ id }) => id)
  )
})
