import { collection } from '#data/resource'
import { secureBootDatabases } from '#data/secure-boot'
import { ofVariables } from '#data/variables'
import { type Get, members } from '#runtime/contract'

export const schema = collection('SecureBootDatabase')

export const exists = ofVariables

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId'> = ({ params, uri, machine }) => {
  machine.system(params.ComputerSystemId)
  return {
    Name: 'Secure boot databases',
    ...members(
      uri,
      secureBootDatabases.map((each) => each.id)
    )
  }
}
