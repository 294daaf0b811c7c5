import { Action } from '../parts/action.tsx'
import { Card, Loaded } from '../parts/show.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { send, session } from '../service/client.ts'
import { reread, useResource } from '../service/resources.ts'
import type { Expanded, SessionResource } from '../types.ts'
import { labelOf, t } from '../words/index.ts'

const all = '/redfish/v1/SessionService/Sessions/?$expand=.'

/** Who is logged in, and from where. */
export function Sessions() {
  return (
    <Loaded from={useResource<Expanded<SessionResource>>(all)}>
      {({ Members }) => (
        <Card title={t('sessions')}>
          <Table
            caption={t('sessions')}
            tools
            columns={[
              { head: t('user'), value: ({ UserName }) => UserName },
              { head: t('role'), value: ({ Roles }) => Roles?.map(labelOf).join(', ') },
              { head: t('address'), value: ({ ClientOriginIPAddress }) => ClientOriginIPAddress },
              {
                head: t('since'),
                value: ({ CreatedTime }) => CreatedTime,
                cell: ({ CreatedTime }) => <Time of={CreatedTime} />
              },
              {
                head: t('lastUsed'),
                value: ({ Oem }) => Oem?.Vendor?.AccessTime,
                cell: ({ Oem }) => <Time of={Oem?.Vendor?.AccessTime} />
              },
              { head: t('end'), cell: (each) => <End of={each} /> }
            ]}
            rows={Members}
            keyOf={(each) => each['@odata.id']}
          />
        </Card>
      )}
    </Loaded>
  )
}

function End({ of }: { readonly of: SessionResource }) {
  return (
    <Action
      label={t('end')}
      of={of.UserName ?? of.Id}
      own={of.UserName === session.value?.user}
      whyNot={session.value?.uri === of['@odata.id'] ? t('yourself') : undefined}
      question={t('endQuestion', of.UserName ?? '')}
      act={() => send('DELETE', of['@odata.id']).finally(() => reread(all))}
    />
  )
}
