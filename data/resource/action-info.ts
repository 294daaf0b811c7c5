import type { Parameters, Property } from '#runtime/schema'

declare module '#runtime/contract' {
  interface Services {
    /** The parameters of an action by its name, such as `CertificateService.GenerateCSR`, if it has any. */
    parameters(action: string): Parameters | undefined
  }
}

/** `DataType` of a parameter (DSP0268, ActionInfo.Parameters). */
export const dataTypes = ['Boolean', 'Number', 'NumberArray', 'Object', 'ObjectArray', 'String', 'StringArray'] as const

type DataType = (typeof dataTypes)[number]

const single = { boolean: 'Boolean', integer: 'Number', number: 'Number', object: 'Object', string: 'String' } as const

/** The parameters of an action in the words of DSP0268, ActionInfo. */
export function showParameters({ properties, required = [] }: Parameters) {
  return Object.entries(properties).map(([Name, property]) => ({
    Name,
    Required: required.includes(Name),
    DataType: dataType(property),
    ...constraints(property.type === 'array' ? (property as { items: Property }).items : property),
    ...('maxItems' in property && { ArraySizeMaximum: property.maxItems })
  }))
}

function dataType(property: Property): DataType {
  if ('items' in property) return `${dataType(property.items)}Array` as DataType
  return single[property.type as keyof typeof single] ?? 'String'
}

function constraints(property: Property) {
  return {
    ...('enum' in property && property.enum && { AllowableValues: [...property.enum] }),
    ...('pattern' in property && { AllowablePattern: property.pattern }),
    ...('minimum' in property && { MinimumValue: property.minimum }),
    ...('maximum' in property && { MaximumValue: property.maximum })
  }
}
