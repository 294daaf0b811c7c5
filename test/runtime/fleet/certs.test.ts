import t from 'tap'
import { describeFleet } from '#data/fleet'
import { DatabaseCerts } from '#runtime/fleet/certs.ts'
import { SharedDatabase } from '#runtime/store/shared.ts'
import { certsContract } from '#test/hal/contracts/certs.ts'

const { store } = describeFleet({ groups: [] }).configuration
const database = await SharedDatabase.open(`${t.testdir()}/store`, store)
t.teardown(() => database.close())

certsContract(t, 'a part of the database of a fleet', (place) => DatabaseCerts.open(database, place))
