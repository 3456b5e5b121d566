//! Makes PDF files for tests, here and in the sources of the reader.

/// A file that is being made. The objects are numbered from 1; the first one is the catalog.
#[derive(Clone, Default)]
pub(crate) struct PdfMaker {
    pub(crate) objects: Vec<Vec<u8>>,
    pub(crate) trailer: String,
}

impl PdfMaker {
    /// A file with these contents of pages. Its fonts are `F` and `B`, Helvetica and its bold.
    pub(crate) fn pages(contents: &[&str]) -> PdfMaker {
        let mut maker = PdfMaker::default();
        maker.add("<</Type/Catalog/Pages 2 0 R>>");
        let kids: Vec<String> = (0..contents.len())
            .map(|at| format!("{} 0 R", 5 + 2 * at))
            .collect();
        let kids = kids.join(" ");
        maker.add(&format!(
            "<</Type/Pages/Kids[{kids}]/Count 1/MediaBox[0 0 600 800]/Resources<</Font<</F 3 0 R/B 4 0 R/M 9999 0 R>>>>>>"
        ));
        maker.add("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>");
        maker.add("<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold>>");
        for content in contents {
            let next = maker.objects.len() + 2;
            maker.add(&format!("<</Type/Page/Parent 2 0 R/Contents {next} 0 R>>"));
            maker.stream("", content.as_bytes());
        }
        maker
    }

    pub(crate) fn add(&mut self, object: &str) -> usize {
        self.objects.push(object.as_bytes().to_vec());
        self.objects.len()
    }

    pub(crate) fn stream(&mut self, entries: &str, bytes: &[u8]) -> usize {
        let mut object = format!("<<{entries}/Length {}>>stream\n", bytes.len()).into_bytes();
        object.extend_from_slice(bytes);
        object.extend_from_slice(b"\nendstream");
        self.objects.push(object);
        self.objects.len()
    }

    /// Replaces a part of an object.
    pub(crate) fn replace(&mut self, number: usize, from: &str, to: &str) {
        let object = String::from_utf8(self.objects[number - 1].clone()).unwrap();
        self.objects[number - 1] = object.replace(from, to).into_bytes();
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = b"%PDF-1.7\n".to_vec();
        let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", self.objects.len() + 1);
        for (at, object) in self.objects.iter().enumerate() {
            table.push_str(&format!("{:010} 00000 n \n", bytes.len()));
            bytes.extend_from_slice(format!("{} 0 obj\n", at + 1).as_bytes());
            bytes.extend_from_slice(object);
            bytes.extend_from_slice(b"\nendobj\n");
        }
        let start = bytes.len();
        let trailer = format!(
            "{table}trailer\n<</Root 1 0 R/Size {}{}>>\nstartxref\n{start}\n%%EOF\n",
            self.objects.len() + 1,
            self.trailer
        );
        bytes.extend_from_slice(trailer.as_bytes());
        bytes
    }
}
