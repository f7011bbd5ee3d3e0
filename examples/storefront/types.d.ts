// The types that the comments of the pages name. They are for `tsc` alone: nothing of this is served.

import type { components } from "../../clients/typescript/src/schema.js";

type Schemas = components["schemas"];

declare global {
  type Address = Schemas["Address"];
  type Cart = Schemas["Cart"];
  type CartItem = Schemas["CartItem"];
  type Category = Schemas["Category"];
  type Image = Schemas["Image"];
  type Order = Schemas["Order"] & Partial<Schemas["OrderWithReturns"]>;
  type OrderReturn = Schemas["OrderReturn"];
  type PixCharge = Schemas["PixCharge"];
  type Product = Schemas["Product"];
  type ProductSummary = Schemas["ProductSummary"];
  type Profile = Schemas["Profile"];
  type QuoteOption = Schemas["QuoteOption"];
  type SearchHit = Schemas["SearchHit"];
  type Shipment = Schemas["OrderShipment"];
  type ShippingQuote = Schemas["ShippingQuote"];
  type Variant = Schemas["Variant"];

  /** A refusal of the server, as it is sent. */
  type Refusal = Partial<Schemas["Error"]>;
  type Query = Record<string, string | number | boolean | null | undefined>;
  /** So many units of something that is to be sent. */
  interface Line {
    productId: string;
    variantId: string | null;
    quantity: number;
  }
  /** The key names one wish; the token is that of an order's link. */
  interface Conditions {
    key?: string | undefined;
    token?: string | undefined;
  }
  /** What a screen reads, with how to read it again and how to put what a change answered. */
  interface Data {
    data: any;
    last: any;
    error: any;
    reload: () => Promise<void>;
    set: (data: any) => void;
  }

  interface FieldProps {
    name: string;
    label: string;
    type?: string;
    hint?: any;
    options?: string[][];
    /** Puts what is typed into its usual notation. */
    mask?: (text: string) => string;
    onValue?: (value: string) => void;
    class?: string;
    required?: boolean;
    maxlength?: number;
    rows?: number;
    autocomplete?: string;
    autocapitalize?: string;
    placeholder?: string;
    inputmode?: string;
  }
  type Values = Record<string, any>;
  interface Form {
    values: Values;
    errors: Record<string, string[]>;
    failure: any;
    busy: boolean;
    set: (changes: Values) => void;
    submit: (event?: Event) => Promise<void>;
  }
  interface News {
    id: number;
    text: string;
    bad: boolean;
    to?: string | undefined;
    action?: string | undefined;
  }
}
