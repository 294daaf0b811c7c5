import { entry } from '#data/board'
import { type GetMedium, notFound } from '#runtime/contract'

export const privileges = { GET: 'VirtualMediaPriv' } as const

/**
 * A WebSocket over which a client gives a file of its own to the drive, as the server of a network block device. A drive
 * that no host sees has none.
 */
export const GET: GetMedium<'ManagerId' | 'VirtualMediaId'> = ({ params, machine }) => {
  const { virtualMedia } = machine.manager(params.ManagerId)
  const { media } = entry(virtualMedia, params.VirtualMediaId) ?? notFound()
  if (media === undefined) notFound()
  return { drive: `${params.ManagerId}/${params.VirtualMediaId}` }
}
