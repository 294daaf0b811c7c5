import { entry, integer, number, reading, resource, status, temperatureContexts, text } from '#data'
import { type Get, notFound, type Schema } from '#runtime'

/** A member of an array in a resource, to which links lead. */
const part = { '@odata.id': { type: 'string', readonly: true }, MemberId: { type: 'string', readonly: true } } as const

export const schema = {
  title: '#Thermal.v1_7_3.Thermal',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    Fans: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          ...part,
          Name: text,
          Reading: integer,
          ReadingUnits: { type: 'string', enum: ['Percent'], nullable: true, readonly: true },
          SensorNumber: integer,
          Status: status
        }
      }
    },
    'Fans@odata.count': integer,
    Temperatures: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          ...part,
          Name: text,
          PhysicalContext: { type: 'string', enum: temperatureContexts, readonly: true },
          ReadingCelsius: number,
          SensorNumber: integer,
          Status: status,
          UpperThresholdCritical: number,
          UpperThresholdFatal: number
        }
      }
    },
    'Temperatures@odata.count': integer
  }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ChassisId'> = ({ params, uri, machine }) => {
  const { fans, temperatures, systems } = entry(machine.board.chassis, params.ChassisId) ?? notFound()
  const power = systems[0] === undefined ? 'On' : machine.power(systems[0])
  return {
    Fans: fans.map((fan, index) => ({
      '@odata.id': `${uri}/#/Fans/${index}`,
      MemberId: String(index),
      Name: fan.name,
      Reading: reading(fan, power),
      ReadingUnits: 'Percent' as const,
      SensorNumber: fan.number,
      Status: { State: 'Enabled' as const, Health: 'OK' as const }
    })),
    'Fans@odata.count': fans.length,
    Temperatures: temperatures.map((temperature, index) => ({
      '@odata.id': `${uri}/#/Temperatures/${index}`,
      MemberId: String(index),
      Name: temperature.name,
      PhysicalContext: temperature.context,
      ReadingCelsius: reading(temperature, power),
      SensorNumber: temperature.number,
      Status: { State: 'Enabled' as const, Health: 'OK' as const },
      UpperThresholdCritical: temperature.critical,
      UpperThresholdFatal: temperature.fatal
    })),
    'Temperatures@odata.count': temperatures.length
  }
}
