// The key that made a call, by its label.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { keysOf } from '../../api/find.ts'
import { t } from '../../language/language.ts'

export function CallerKey({ id }: { readonly id: number }) {
  const { data } = useQuery({ queryKey: ['keys', 'label', id], queryFn: () => keysOf([id]), retry: false })
  const label = data?.find((key) => key.id === id)?.label
  return label === undefined ? (
    t('Key {id}', { id })
  ) : (
    <Link to={`/keys/${id}`} className="text-link hover:underline" title={t('Key {id}', { id })}>
      {label}
    </Link>
  )
}
