// The types that the pages' comments name. They are for `tsc` alone: nothing of this is served.

import type { components } from "../../clients/typescript/src/schema.js";

type Schemas = components["schemas"];

declare global {
  type StaffOrder = Schemas["StaffOrder"];
  type OrderMove = Schemas["OrderMove"];
  type UnboughtOrder = Schemas["UnboughtOrder"];
  type Shipment = Schemas["Shipment"];
  type OrderNote = Schemas["OrderNote"];
  type PaymentAttempt = Schemas["PaymentAttempt"];
  type Refund = Schemas["Refund"];
  type IssuedInvoice = Schemas["IssuedInvoice"];
  type ProductForm = Schemas["ProductForm"];
  type AdminVariant = Schemas["AdminVariant"];
  type VariantType = Schemas["VariantType"];
  type ProductFiscal = Schemas["FiscalDetail"];
  type Category = Schemas["Category"];
  type Coupon = Schemas["Coupon"];
  type Customer = Schemas["Customer"];
  type Overview = Schemas["Overview"];
  type Tasks = Schemas["Tasks"];
  type MailOfOrder = Schemas["MailOfOrder"];
  type RecentOrder = Schemas["RecentOrder"];
  type TopProduct = Schemas["TopProduct"];
  type ModeratedReview = Schemas["ModeratedReview"];
  type Tariff = Schemas["Tariff"];
  type WebhookEndpoint = Schemas["WebhookEndpoint"];
  type AuditEntry = Schemas["AuditEntry"];
  type Pagination = Schemas["Pagination"];

  /** A refusal of the server, as it is sent. */
  type Refusal = Partial<Schemas["Error"]>;
  type Query = Record<string, string | number | boolean | null | undefined>;
  interface Answer {
    data: any;
    etag: string | undefined;
    total: number | undefined;
  }
  interface State extends Answer {
    error: any;
    loading: boolean;
  }
  /** What a screen reads, with how to read it again and how to put what a change answered. */
  interface Data extends State {
    reload: () => Promise<void>;
    set: (data: any, etag?: string) => void;
  }

  /** What is called so, and how serious it is: good, warn, bad, info or nothing. */
  type Label = [text: string, tone: string];
  /** What leads has no heading on a phone; `hideHead` is for what says itself what it is. */
  interface Column {
    head: string;
    cell: (row: any) => any;
    number?: boolean;
    lead?: boolean;
    hideHead?: boolean;
  }
  interface TableProps {
    label: string;
    columns: Column[];
    rows: any[];
    rowKey?: (row: any) => string;
    selected?: Set<string>;
    onSelect?: (selected: Set<string>) => void;
    busy?: boolean;
  }

  interface FieldProps {
    name: string;
    label: string;
    type?: string;
    hint?: any;
    options?: [any, string][];
    wide?: boolean;
    /** The label is there for screen readers alone. */
    bare?: boolean;
    required?: boolean;
    /** What a text means, where that is not what the type says. */
    read?: (text: string) => number | null;
    /** The value as people read it, where that is not what the type says. */
    show?: (value: any) => any;
    maxlength?: number;
    rows?: number;
    autocomplete?: string;
    placeholder?: string;
    inputmode?: string;
    autocapitalize?: string;
  }
  /** A form in a dialog. What is `forced` has no way to close it, but may have another one out. */
  interface Question {
    title: string;
    children?: any;
    fields: FieldProps[];
    /** What stands in the fields before anything is typed. */
    initial?: Values;
    /** What the button says; of what is typed, where it is a function. */
    action: string | ((values: Values) => string);
    danger?: boolean;
    forced?: (() => any) | undefined;
    save: (values: Values) => Promise<any>;
  }
  type Values = Record<string, any>;
  interface Form {
    values: Values;
    /** What is saved. */
    base: Values;
    changes: Values;
    errors: Record<string, string[]>;
    failure: any;
    busy: boolean;
    dirty: boolean;
    set: (name: string, value: any) => void;
    /** Takes these values as what is saved; `keep` leaves what was typed. */
    rebase: (values: Values, keep?: boolean) => void;
    submit: (event?: Event) => Promise<void>;
  }
  interface EditorOptions {
    /** Null creates a thing. */
    path: string | null;
    create?: string;
    etag?: string | undefined;
    /** Fields that may change without the `etag` changing, as units do by sales. */
    untagged?: string[];
    fields: FieldProps[];
    initial: Values;
    /** What counts as typed already. */
    proposed?: Values;
    read?: (data: any) => Values;
    write?: (changes: Values) => Values;
    onSaved: (data: any, etag: string | undefined) => void;
    saved?: string;
  }

  interface Picture {
    url: string;
    alt: string;
    isPrimary: boolean;
  }
  interface News {
    id: number;
    text: string;
    bad: boolean;
    undo?: (() => void) | undefined;
  }
  /** A line of a file of units. */
  interface Line {
    line: number;
    sku: string;
    wanted: number;
    id?: string;
    name?: string;
    stock?: number;
    wrong?: string;
    done?: boolean;
  }
}
