import { useId } from 'react';
import { isRecord } from '../graph/definition.ts';
import { count } from '../parts/format.ts';
import { exampleOf, type Schema, schemaOf, typeOf, wordOf } from './schema.ts';

/** A form for a value of a JSON Schema; what it cannot ask for in fields, it asks for as JSON. */
export function SchemaField(props: {
  readonly name: string;
  readonly schema: Schema;
  readonly value: unknown;
  readonly isRequired: boolean;
  readonly onChange: (value: unknown) => void;
}) {
  const { name, schema, value, isRequired, onChange } = props;
  const hint = useId();
  const type = typeOf(schema);
  const notes = notesOf(schema, isRequired);
  if (type === 'object' && isRecord(schema['properties'])) {
    return <ObjectFields {...props} />;
  }
  if (type === 'array') return <ArrayFields {...props} />;
  if (type === 'enum') {
    const options = optionsOf(schema);
    return (
      <label>
        {name}
        <select
          value={wordOf(value) ?? ''}
          required={isRequired}
          onChange={(event) => onChange(event.target.value || undefined)}
        >
          <option value="">{isRequired ? 'choose …' : 'none'}</option>
          {options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      </label>
    );
  }
  if (type === 'boolean') {
    return (
      <label className="choice">
        <input
          type="checkbox"
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
        />
        {name}
      </label>
    );
  }
  const isNumber = type === 'integer' || type === 'number';
  return (
    <div className="field">
      <label>
        {name}
        <input
          value={wordOf(value) ?? ''}
          required={isRequired}
          aria-describedby={notes === '' ? undefined : hint}
          inputMode={isNumber ? 'decimal' : 'text'}
          {...(isNumber ? { pattern: numberPatterns[type] } : lengthsOf(schema))}
          onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
        />
      </label>
      {notes !== '' && (
        <span className="faint" id={hint}>
          {notes}
        </span>
      )}
    </div>
  );
}

const numberPatterns = {
  integer: String.raw`-?\d+`,
  number: String.raw`-?\d+(\.\d+)?([eE][+\-]?\d+)?`,
} as const;

function ObjectFields(props: Parameters<typeof SchemaField>[0]) {
  const { name, schema, value, onChange } = props;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const members = isRecord(value) ? value : {};
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const fields = Object.entries(properties).map(([member, inner]) => (
    <SchemaField
      key={member}
      name={member}
      schema={schemaOf(inner)}
      value={members[member]}
      isRequired={required.includes(member)}
      onChange={(changed) => onChange({ ...members, [member]: changed })}
    />
  ));
  if (name === '') return <div className="fields">{fields}</div>;
  return (
    <fieldset className="fields">
      <legend>{name}</legend>
      {fields}
    </fieldset>
  );
}

function ArrayFields({ name, schema, value, onChange }: Parameters<typeof SchemaField>[0]) {
  const items = Array.isArray(value) ? (value as readonly unknown[]) : [];
  const inner = schemaOf(schema['items']);
  return (
    <fieldset>
      <legend>{name}</legend>
      {items.map((item, index) => (
        <div className="item" key={index}>
          <SchemaField
            name={`${name} ${index + 1}`}
            schema={inner}
            value={item}
            isRequired
            onChange={(changed) => onChange(items.with(index, changed))}
          />
          <button
            type="button"
            className="quiet small"
            onClick={() => onChange(items.filter((_, other) => other !== index))}
          >
            Remove {name} {index + 1}
          </button>
        </div>
      ))}
      <button
        type="button"
        className="small"
        onClick={() => onChange([...items, exampleOf(inner)])}
      >
        Add to {name}
      </button>
    </fieldset>
  );
}

function optionsOf(schema: Schema): string[] {
  const { enum: values, anyOf, const: only } = schema;
  const consts = Array.isArray(anyOf) ? anyOf.map((one: unknown) => schemaOf(one)['const']) : [];
  return [...(Array.isArray(values) ? values : []), ...consts, only].flatMap(
    (option: unknown) => wordOf(option) ?? [],
  );
}

function notesOf(schema: Schema, isRequired: boolean): string {
  const said = (name: string): string | undefined => wordOf(schema[name]);
  const number = (name: string): string | undefined => {
    const value = schema[name];
    return typeof value === 'number' || typeof value === 'bigint' ? count(value) : undefined;
  };
  const { maximum } = schema;
  return [
    isRequired ? [] : ['optional'],
    said('description') ?? [],
    bound('at least', number('minimum')),
    bound('at most', maximum === Number.MAX_SAFE_INTEGER ? undefined : number('maximum')),
    bound('fits', said('pattern')),
  ]
    .flat()
    .join('; ');
}

const bound = (word: string, value: string | undefined): string[] =>
  value === undefined ? [] : [`${word} ${value}`];

const lengthsOf = ({ minLength, maxLength }: Schema) => ({
  ...(typeof minLength === 'number' ? { minLength } : {}),
  ...(typeof maxLength === 'number' ? { maxLength } : {}),
});
