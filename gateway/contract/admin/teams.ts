// Teams: who shares which records. Contract 7.6, 10.4.
import { z } from 'zod'
import { ownedInputs } from '../owned-inputs.ts'
import { ownedRoutes } from '../owned-routes.ts'
import { Id, MADE_FIELDS } from '../page.ts'

const TeamName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9 _-]{0,62}$/,
    'must start with a letter or digit and hold at most 63 letters, digits, spaces, _ and -',
  )

const { input, change } = ownedInputs({ name: TeamName }, {})
export const TeamInput = input

export const Team = z.object({
  id: Id,
  name: z.string(),
  clients: z.number().int(),
  users: z.number().int(),
  ...MADE_FIELDS,
})
export type Team = z.infer<typeof Team>

export const teams = ownedRoutes({
  path: '/admin-api/teams',
  key: 'id',
  noun: 'team',
  read: 'viewer',
  write: 'superadmin',
  input,
  change,
  record: Team,
  notFound: 'TEAM_NOT_FOUND',
  errors: {
    create: ['ALREADY_EXISTS'],
    update: ['ALREADY_EXISTS'],
    delete: ['TEAM_NOT_EMPTY'],
  },
  summaries: {
    list: 'List teams by name; team members see only their own',
    create: 'Create a team',
    get: 'Read one team',
    update: 'Rename a team',
    delete: 'Delete a team to which nothing belongs',
  },
})
