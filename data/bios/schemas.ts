/** Values of BIOS attributes, as the current and the pending area hold them. Which there are is the registry's to say. */
export const biosAttributes = {
  type: 'object',
  properties: {},
  additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
  readonly: false
} as const

/** The time at which settings are applied: only the next reset is supported. */
export const settingsApplyTime = {
  type: 'object',
  properties: { ApplyTime: { type: 'string', enum: ['OnReset'], readonly: false } },
  readonly: false
} as const
