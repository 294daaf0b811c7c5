import { beginUpload, updateSettings } from '#data/updates'
import { object, type Post } from '#runtime/contract'

/** An update file alone, which the settings of the service say the rest of. */
export const upload = 'file'

export const body = object({})

export const privileges = { POST: ['MgmtConfigPriv', 'HostBIOSConfigPriv'] } as const

export const POST: Post<typeof body> = (context) => {
  const { applyTime, targets } = updateSettings(context.state.get('updateService', 'settings'))
  return beginUpload(context, { '@Redfish.OperationApplyTime': applyTime, Targets: targets })
}
