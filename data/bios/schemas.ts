import { writtenMessage } from '#data/registries'
import { reference } from '#data/resource'

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
