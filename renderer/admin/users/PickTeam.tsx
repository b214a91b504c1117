// Selects the team of a user, or none.
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { Select } from '../../ui/Select.tsx'

const NONE = { value: '', label: t('No team'), about: t('Sees the records of every team') }

export const useTeams = () =>
  useQuery({
    queryKey: ['teams', 'names'],
    queryFn: async () => (await api.teams.list({ query: { limit: '200' } })).items,
  })

export function PickTeam({ id, onPick }: { readonly id: number | null; readonly onPick: (id: number | null) => void }) {
  const teams = useTeams().data ?? []
  return (
    <Select
      label={t('Team')}
      value={id === null ? '' : String(id)}
      options={[
        NONE,
        ...teams.map((team) => ({ value: String(team.id), label: team.name, about: t('Sees only its records') })),
      ]}
      onChange={(value) => onPick(value === '' ? null : Number(value))}
    />
  )
}
