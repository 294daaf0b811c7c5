import { collection } from '#data/resource'
import { storageUri } from '#data/storage'
import { type Get, link } from '#runtime/contract'

export const schema = collection('Drive')

export const privileges = { GET: 'LoginPriv' } as const

/** The drives of the systems in a chassis. Each is a resource of the storage that it belongs to. */
export const GET: Get<typeof schema, 'ChassisId'> = ({ params, machine }) => {
  const { systems } = machine.chassis(params.ChassisId)
  const drives = systems.flatMap((system) =>
    Object.entries(machine.system(system).storage).flatMap(([storage, { drives }]) =>
      Object.keys(drives).map((id) => link(`${storageUri(system, storage)}/Drives/${id}`))
    )
  )
  return { Name: 'Drives', Members: drives }
}
