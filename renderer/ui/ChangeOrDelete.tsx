// The two things an administrator does to a whole record, at the head of its page.
import { Pencil, Trash2 } from 'lucide-react'
import { Button } from './Button.tsx'

export function ChangeOrDelete({
  onChange,
  onDelete,
}: {
  readonly onChange: () => void
  readonly onDelete: () => void
}) {
  return (
    <>
      <Button onClick={onChange}>
        <Pencil />
        Change…
      </Button>
      <Button look="quiet-danger" onClick={onDelete}>
        <Trash2 />
        Delete…
      </Button>
    </>
  )
}
