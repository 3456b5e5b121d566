//! Values that configuration writes as text: one spelling on the command line, in files and in
//! JSON, and one message for an unknown value.

/// Serialises and deserialises types as text.
macro_rules! serialised_as_text {
    ($($type:ty),+) => {$(
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    )+};
}

/// Gives each variant of an enum its name in the field `$field`.
macro_rules! named {
    ($type:ty, $field:literal, $($name:literal => $variant:ident),+ $(,)?) => {
        impl $type {
            /// The names of all values, in the order in which they are documented.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// The name in configuration and output.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(<$type>::$variant => $name),+
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = crate::error::ConfigError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($name => Ok(<$type>::$variant),)+
                    _ => Err(crate::error::ConfigError {
                        field: $field,
                        value: text.to_string(),
                        expected: format!("one of {}", Self::NAMES.join(", ")),
                    }),
                }
            }
        }

        crate::named::serialised_as_text!($type);

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let names = Self::NAMES.iter().filter(|name| crate::schema::is_built(name));
                let names: Vec<_> = names.collect();
                schemars::json_schema!({"type": "string", "enum": names})
            }
        }
    };
}

pub(crate) use {named, serialised_as_text};
