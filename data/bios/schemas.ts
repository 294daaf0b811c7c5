import { writtenMessage } from '#data/registries'
import { action, oem, reference, resource } from '#data/resource'

/** Values of BIOS attributes, as the current and the pending area hold them. Which there are is the registry's to say. */
export const biosAttributes = {
  type: 'object',
  properties: {},
  additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
  readonly: false
} as const

const texts = { type: 'array', items: { type: 'string' }, readonly: true } as const

/** How settings that wait for the next reset stand, and where they are (DSP0268, Settings). */
export const pendingSettings = {
  title: '#Settings.v1_3_5.Settings',
  type: 'object',
  required: ['@odata.type'],
  properties: {
    '@odata.type': { type: 'string', readonly: true },
    ETag: { type: 'string', readonly: true },
    Messages: {
      type: 'array',
      items: writtenMessage,
      readonly: true
    },
    SettingsObject: reference,
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

/** The settings of a BIOS, current or pending; actions, links and `@Redfish.Settings` are those of the current ones. */
export const bios = {
  title: '#Bios.v1_2_3.Bios',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    AttributeRegistry: { type: 'string', readonly: true },
    Attributes: biosAttributes,
    Actions: {
      type: 'object',
      properties: { '#Bios.ChangePassword': action('PasswordName'), '#Bios.ResetBios': action() }
    },
    Links: {
      type: 'object',
      properties: {
        Oem: oem('VendorBiosLinks.v1_0_0.VendorBiosLinks', {
          BaseConfigs: reference,
          Boot: reference,
          Mappings: reference
        })
      }
    },
    '@Redfish.Settings': pendingSettings,
    '@Redfish.SettingsApplyTime': settingsApplyTime
  }
} as const
