import { label, location, resource, status } from '#data/resource'
import { excerpt, fanId, sensorState, showExcerpt } from '#data/sensors'
import { type Get, notFound } from '#runtime/contract'

export const schema = resource('Fan.v1_5_2', 'A fan', {
  ...label,
  Location: location,
  SpeedPercent: excerpt,
  Status: status
})

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ChassisId' | 'FanId'> = ({ params, machine }) => {
  const { fans } = machine.chassis(params.ChassisId)
  const fan = fans.find((each) => fanId(each) === params.FanId) ?? notFound()
  return {
    Name: fan.name,
    ...machine.label(fan),
    ...(fan.serviceLabel && { Location: { PartLocation: { ServiceLabel: fan.serviceLabel } } }),
    SpeedPercent: showExcerpt(machine, params.ChassisId, fan),
    Status: sensorState(machine.reading(params.ChassisId, fan.number))
  }
}
