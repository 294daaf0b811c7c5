import { writtenMessage } from '#data/registries'
import { action, child, oem, resource } from '#data/resource'
import { list, object } from '#runtime/schema'
import { biosPasswords } from './values.ts'

/** Values of BIOS attributes, as the current and the pending area hold them. Which there are is the registry's to say. */
export const biosAttributes = {
  type: 'object',
  properties: {},
  additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
  readonly: false
} as const

const texts = list({ type: 'string' })

/** How settings that wait for the next reset stand, and where they are (DSP0268, Settings). */
export const pendingSettings = {
  title: '#Settings.v1_3_5.Settings',
  type: 'object',
  required: ['@odata.type'],
  properties: {
    '@odata.type': { type: 'string', readonly: true },
    ETag: { type: 'string', readonly: true },
    Messages: list(writtenMessage),
    SettingsObject: child('Settings'),
    SupportedApplyTimes: texts,
    Time: { type: 'string', format: 'date-time', readonly: true }
  }
} as const

/** The time at which settings are applied: only the next reset is supported. */
export const settingsApplyTime = {
  type: 'object',
  properties: { ApplyTime: { type: 'string', enum: ['OnReset'], readonly: false } },
  readonly: false
} as const

/** The parameters of a change of a BIOS password. */
export const passwordChange = object(['PasswordName', 'OldPassword', 'NewPassword'], {
  PasswordName: { type: 'string', enum: biosPasswords },
  OldPassword: { type: 'string' },
  NewPassword: { type: 'string' }
})

/** The settings of a BIOS, current or pending; actions, links and `@Redfish.Settings` are those of the current ones. */
export const bios = resource('Bios.v1_2_3', 'The settings of a BIOS', {
  AttributeRegistry: { type: 'string', readonly: true },
  Attributes: biosAttributes,
  Actions: object({
    '#Bios.ChangePassword': action('Bios.ChangePassword', passwordChange),
    '#Bios.ResetBios': action('Bios.ResetBios')
  }),
  Links: object({
    Oem: oem('VendorBiosLinks.v1_0_0', {
      BaseConfigs: child('Oem/Vendor/BaseConfigs'),
      Boot: child('Oem/Vendor/Boot'),
      Mappings: child('Oem/Vendor/Mappings')
    })
  }),
  '@Redfish.Settings': pendingSettings,
  '@Redfish.SettingsApplyTime': settingsApplyTime
})
